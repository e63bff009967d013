/**
 * Owns what the server knows of the clients that are connected: the port by which somebody keeps it, and how a client names itself.
 *
 * Invariant: a client's name is its own text: short, and on one line.
 */
import { fieldOf } from "../../mcp/index.ts";
import type { Identity } from "../wire/caller.ts";

/** Stands for one client, as long as it is connected; a call that names it as its `client` is this one's. */
export interface AssistantSeat {
  /** It has said its name. */
  named(client: string): void;
  left(): void;
}

export interface AssistantWatch {
  /** A client has begun a session. */
  join(caller: string): AssistantSeat;
  /**
   * A client of the era without sessions asks for something: it is connected until that has ended, and for a while afterwards.
   * @param ended resolves when the request, or the stream that it opened, has ended
   */
  pass(caller: Identity, client: string, ended: Promise<void>): AssistantSeat;
}

const NAME_MAX = 60;
const CLIENT_INFO = "io.modelcontextprotocol/clientInfo";

/** Reads how the message names the client; undefined where it does not. */
export function clientIn(message: unknown): string | undefined {
  const params = fieldOf(message, "params");
  const info = fieldOf(params, "clientInfo") ?? fieldOf(fieldOf(params, "_meta"), CLIENT_INFO);
  const name = fieldOf(info, "name");
  return typeof name === "string" ? shortened(name) : undefined;
}

/** Takes out what could bend the line that it stands in. */
function shortened(text: string): string {
  const plain = text
    .slice(0, 4 * NAME_MAX)
    .replace(/[\p{C}\p{Z}]+/gu, " ")
    .trim();
  return Array.from(plain).slice(0, NAME_MAX).join("");
}
