/**
 * What counts as pressing a button that must not be pressed by accident: a key that goes down and comes up on it, or a
 * pointer that does, both after the button became active. A held key, its repeats and a click that began earlier don't.
 */

export class Press {
  private key: string | undefined;
  private pointer: "none" | "taken" | "refused" = "none";

  constructor(private readonly active: () => boolean) {}

  /** True where the event is the button's: then the browser must not make a click of it. */
  keyDown(event: { readonly key: string; readonly repeat: boolean }): boolean {
    if (!presses(event.key)) return false;
    if (!event.repeat) this.key = this.active() ? event.key : undefined;
    return true;
  }

  /** True: it is pressed. */
  keyUp(event: { readonly key: string }): boolean {
    const pressed = presses(event.key) && this.key === event.key && this.active();
    if (presses(event.key)) this.key = undefined;
    return pressed;
  }

  pointerDown(): void {
    this.pointer = this.active() ? "taken" : "refused";
  }

  /** True: it is pressed. A click without a pointer is a screen reader's. */
  click(): boolean {
    const refused = this.pointer === "refused";
    this.pointer = "none";
    return !refused && this.active();
  }

  /** The focus or the pointer has gone elsewhere. */
  leave(): void {
    this.key = undefined;
  }
}

export function presses(key: string): boolean {
  return key === "Enter" || key === " ";
}
