/**
 * Asks the service over a connection whether it is there. Its answer says that it has spoken after it was asked, and comes behind all that it had to tell before.
 *
 * Source: service.md#stream-messages.
 */
import type { StreamAck } from "../../../contract/index.ts";
import type { SteadyClock } from "../../../transport/index.ts";

interface Ping {
  readonly resolve: (isAnswered: boolean) => void;
  /** When it was sent; undefined until then. */
  sentMs: number | undefined;
}

export class Pings {
  readonly #clock: SteadyClock;
  readonly #waiting = new Map<string, Ping>();
  #answeredMs: number | undefined;

  constructor(clock: SteadyClock) {
    this.#clock = clock;
  }

  /** When the newest was sent that has been answered, by the clock that only rises. */
  get answeredMs(): number | undefined {
    return this.#answeredMs;
  }

  /** @param push sends the message when its turn comes */
  ask(id: string, push: (write: () => object) => void): Promise<boolean> {
    return new Promise((resolve) => {
      const ping: Ping = { resolve, sentMs: undefined };
      this.#waiting.set(id, ping);
      push(() => {
        ping.sentMs = this.#clock.rising();
        return { op: "ping", id };
      });
    });
  }

  answered(id: StreamAck["id"]): void {
    const ping = this.#waiting.get(String(id));
    if (ping === undefined) return;
    this.#waiting.delete(String(id));
    this.#answeredMs = ping.sentMs;
    ping.resolve(true);
  }

  /** Nothing is answered any more. */
  end(): void {
    for (const { resolve } of this.#waiting.values()) resolve(false);
    this.#waiting.clear();
  }
}
