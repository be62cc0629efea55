/** The host's end of the conversation with the chat page. It knows neither the editor nor any session. */

import { answerCall, type Handlers } from "./bridge";
import type { Draft, FromPage, Push } from "./messages";

export interface PageOwner {
  /** The page is loaded and knows nothing: push everything. */
  ready(): void;
  draft(draft: Draft): void;
  draftText(text: string): void;
  /** The answer to a question is being typed. */
  typed(question: string, text: string): void;
}

/** Where messages to a page go; enough of a `vscode.Webview`. */
export interface Channel {
  postMessage(message: Push): unknown;
}

export class PageLink {
  private channel: Channel | undefined;
  private listens = false;
  private focusAwaited = false;

  constructor(
    private readonly handlers: Handlers,
    private readonly owner: PageOwner,
  ) {}

  /** A page is being loaded, in place of any other. */
  open(channel: Channel): void {
    this.channel = channel;
    this.listens = false;
  }

  /** A page is gone. */
  close(channel: Channel): void {
    if (channel === this.channel) this.channel = undefined;
  }

  /** Drops the message if the page is not ready: it gets everything once it is. */
  push(message: Push): void {
    if (this.listens) this.channel?.postMessage(message);
  }

  /** Shows the page by `show` and puts the cursor into its composer. `visible`: it is in view already. */
  async focus(visible: boolean, show: () => Promise<void>): Promise<void> {
    // The editor discards a hidden page and loads it again when it is shown, perhaps before `show` resolves.
    const isReady = visible && this.listens;
    this.focusAwaited = !isReady;
    await show();
    if (isReady) this.push({ type: "focus" });
  }

  async received(message: FromPage): Promise<void> {
    switch (message.type) {
      case "ready":
        this.listens = true;
        this.owner.ready();
        if (this.focusAwaited) this.push({ type: "focus" });
        this.focusAwaited = false;
        break;
      case "draft":
        this.owner.draft(message.draft);
        break;
      case "draftText":
        this.owner.draftText(message.text);
        break;
      case "typed":
        this.owner.typed(message.question, message.text);
        break;
      case "ping":
        this.push({ type: "pong" });
        break;
      case "call":
        this.push(await answerCall(this.handlers, message));
    }
  }
}
