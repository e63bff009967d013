/** A page that listens, as a browser does; it can stop to read. */
import { type ClientRequest, type IncomingMessage, request as send } from "node:http";
import type { ConsoleEvents } from "../../../src/serve/console/console-api.ts";
import { eventually } from "../../fixture/command.ts";
import type { Browser } from "./console-server.ts";

export interface Heard {
  readonly id: string;
  readonly event: keyof ConsoleEvents;
  readonly data: string;
  readonly atMs: number;
}

export class Listener {
  readonly heard: Heard[] = [];
  status = 0;
  hasEnded = false;
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;
  #rest = "";

  constructor(browser: Browser, query = "", lastEventId?: string) {
    const headers = { cookie: browser.cookie, ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }) };
    this.#request = send(`${browser.origin}/console/events${query}`, { headers }, (response) => {
      this.status = response.statusCode ?? 0;
      this.#response = response;
      response.setEncoding("utf8").on("data", (text: string) => this.#hear(text));
      response.on("close", () => {
        this.hasEnded = true;
      });
    });
    this.#request.on("error", () => undefined).end();
  }

  of(event: keyof ConsoleEvents): readonly Heard[] {
    return this.heard.filter((each) => each.event === event);
  }

  /** The newest, once there is one that fits. */
  next<Name extends keyof ConsoleEvents>(
    event: Name,
    fits: (view: ConsoleEvents[Name]) => boolean = () => true,
  ): Promise<ConsoleEvents[Name]> {
    return eventually(() => {
      const [newest] = this.of(event).slice(-1);
      const view = newest && (JSON.parse(newest.data) as ConsoleEvents[Name]);
      return view !== undefined && fits(view) ? view : undefined;
    });
  }

  /** @returns what of has changed so far */
  get changed(): ReadonlySet<string> {
    return new Set(this.of("changed").flatMap(({ data }) => (JSON.parse(data) as ConsoleEvents["changed"]).what));
  }

  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  close(): void {
    this.#request.destroy();
  }

  #hear(text: string): void {
    const blocks = `${this.#rest}${text}`.split("\n\n");
    this.#rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const fields = Object.fromEntries(block.split("\n").map((line) => line.split(/: (.*)/s, 2)));
      if ("event" in fields) this.heard.push({ ...(fields as Omit<Heard, "atMs">), atMs: performance.now() });
    }
  }
}
