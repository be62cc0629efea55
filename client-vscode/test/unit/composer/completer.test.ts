import { describe, expect, it } from "vitest";
import type { Completion } from "../../../src/view/messages";
import { Completer, type List } from "../../../webview/composer/completer";
import type { Token } from "../../../webview/composer/tokens";

const token = (query: string, start = 0): Token => ({ trigger: "@", query, start, end: start + 1 + query.length });
const item = (name: string): Completion => ({ label: name, icon: "file", insert: `@${name}` });

/** A host whose answers come when the test says so. */
class SlowHost {
  readonly asked: string[] = [];
  private answers: ((items: readonly Completion[]) => void)[] = [];

  readonly ask = ({ query }: Token): Promise<readonly Completion[]> => {
    this.asked.push(query);
    return new Promise((resolve) => this.answers.push(resolve));
  };

  async answer(...names: string[]): Promise<void> {
    this.answers.shift()?.(names.map(item));
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  }
}

function setUp(): { host: SlowHost; completer: Completer; shown: (List | null)[] } {
  const host = new SlowHost();
  const shown: (List | null)[] = [];
  return { host, completer: new Completer(host.ask, (list) => shown.push(list)), shown };
}

describe("completion", () => {
  it("asks one question at a time, and then only the newest", async () => {
    const { host, completer } = setUp();
    for (const query of ["c", "ca", "car"]) completer.look(token(query));
    expect(host.asked).toEqual(["c"]);
    await host.answer("cart.py", "case.py");
    expect(host.asked).toEqual(["c", "car"]);
    await host.answer("cart.py");
    expect(completer.list).toMatchObject({ fresh: true, items: [{ label: "cart.py" }] });
  });

  it("shows no answer to what stands there no more as if it were new", async () => {
    const { host, completer } = setUp();
    completer.look(token("c"));
    await host.answer("cart.py");
    completer.look(token("ca"));
    expect(completer.list).toMatchObject({ fresh: false, items: [{ label: "cart.py" }] });
  });

  it("stays closed in the word where it was closed", async () => {
    const { host, completer } = setUp();
    completer.look(token("c"));
    await host.answer("cart.py");
    completer.close();
    completer.look(token("ca"));
    expect(completer.list).toBeNull();
    completer.look(null);
    completer.look(token("ca"));
    expect(completer.list).not.toBeNull();
  });

  it("an answer that comes after the list was left opens nothing", async () => {
    const { host, completer, shown } = setUp();
    completer.look(token("c"));
    completer.look(null);
    await host.answer("cart.py");
    expect(shown.at(-1)).toBeNull();
  });

  it("goes round at both ends", async () => {
    const { host, completer } = setUp();
    completer.look(token("c"));
    await host.answer("a", "b", "c");
    completer.move(-1);
    expect(completer.list?.active).toBe(2);
    completer.move(1);
    expect(completer.list?.active).toBe(0);
  });

  it("a host that can't answer leaves an empty list, and is asked again at the next look", async () => {
    let up = false;
    const ask = (): Promise<readonly Completion[]> => (up ? Promise.resolve([item("cart.py")]) : Promise.reject(new Error("no")));
    const completer = new Completer(ask, () => undefined);
    completer.look(token("c"));
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    expect(completer.list).toMatchObject({ items: [], fresh: false });
    up = true;
    completer.look(token("c"));
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    expect(completer.list).toMatchObject({ items: [{ label: "cart.py" }], fresh: true });
  });
});
