/**
 * Watches whether there is a host at the other end: an extension host that was restarted or has died answers nothing,
 * and says nothing either. It knows the bridge and a clock, no component.
 */

import type { Bridge } from "./bridge";
import { t } from "./l10n";

/** `setTimeout` and `clearTimeout` of the page; a hand-driven one in tests. */
export interface Clock {
  set(run: () => void, ms: number): number;
  clear(timer: number): void;
}

const PATIENCE_MS = 5000;

/**
 * Asks for a sign of life when a call has had no answer for a while, or when `check` is called, and tells `changed`
 * when none comes. Any sign makes it connected again.
 */
export class Connection {
  private connected = true;
  private timer: number | undefined;
  private asked = false;

  constructor(
    private readonly bridge: Bridge,
    private readonly clock: Clock,
    private readonly changed: (connected: boolean) => void,
  ) {
    bridge.watch({ asked: () => this.expect(), heard: () => this.heard() });
  }

  /** Asks at once. */
  check(): void {
    this.stop();
    this.ask();
  }

  private expect(): void {
    if (this.timer !== undefined) return;
    this.timer = this.clock.set(() => this.late(), PATIENCE_MS);
  }

  private late(): void {
    this.timer = undefined;
    if (!this.asked) return this.ask();
    this.asked = false;
    this.become(false);
    this.bridge.giveUp(t("The connection to the extension is lost. What you typed is kept."));
  }

  private ask(): void {
    this.asked = true;
    this.bridge.send({ type: "ping" });
    this.timer = this.clock.set(() => this.late(), PATIENCE_MS);
  }

  private heard(): void {
    this.stop();
    this.asked = false;
    this.become(true);
    // Whatever else is open is waited for anew, for as long as the host shows that it lives.
    if (this.bridge.pending > 0) this.expect();
  }

  private stop(): void {
    if (this.timer !== undefined) this.clock.clear(this.timer);
    this.timer = undefined;
  }

  private become(connected: boolean): void {
    if (connected === this.connected) return;
    this.connected = connected;
    this.changed(connected);
  }
}
