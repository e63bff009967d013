/**
 * Owns the ids of sessions of the 2025 era. By its id a session that this process does not know is opened anew: after a restart, at another
 * server of the same store, or after it was unused for so long that its place was given away.
 *
 * Invariants: what an id says was signed here, and it opens nothing by itself: only with a token of the caller that began the session, which may
 * still do what it could then, at a server of the same environment, profile and account, before its end, and not where the session was ended.
 * Where any of that cannot be known when a session begins, its id is a random one, and opens nothing anew.
 *
 * Source: decision 0073.
 */
import { createHash, randomUUID } from "node:crypto";
import type { InitializeRequest } from "@modelcontextprotocol/server";
import { digestOf, scrubber } from "../../config/index.ts";
import { defined, ok, type Result } from "../../contract/index.ts";
import type { Scope } from "../../mcp/index.ts";
import type { Grant, Identity } from "../wire/caller.ts";
import type { Stamp } from "../wire/stamp.ts";

/** The sessions that were ended before the end of their ids, at every server of the store: each by a digest. */
export interface EndedSessions {
  note(digest: string, untilMs: number, nowMs: number): Promise<Result<void>>;
  has(digest: string): Promise<Result<boolean>>;
}

/** Holds what a client has begun with, as far as a server looks at it. */
export type Begun = InitializeRequest["params"];

/** Under the stamp. Who changes its form changes the stamp's use. */
interface Signed {
  /** First, so that ids differ in what a proxy keeps of them. */
  readonly id: string;
  readonly caller: string;
  readonly place: string;
  readonly scopes: readonly Scope[];
  readonly untilMs: number;
  readonly begun: Begun;
}

/** Known where it is served: a digest of environment, profile and account; undefined as long as the account is not known. */
export type PlaceOf = () => Promise<string | undefined>;

/** Bounds how long after it began a session can be opened anew. */
const OPENS_FOR_MS = 24 * 3_600_000;
/** Bounds what goes as a header with every request; of a client that says more of itself the id is a random one. */
const SIGNED_MAX = 2_048;

export class SessionIds {
  readonly #stamp: Stamp;
  readonly #ended: EndedSessions;

  constructor(stamp: Stamp, ended: EndedSessions = new EndedHere()) {
    this.#stamp = stamp;
    this.#ended = ended;
  }

  /** @param place undefined where it is not known yet. @returns the id of a session that begins */
  async make(begun: Begun, { identity }: Grant, place: string | undefined): Promise<string> {
    const id = randomUUID();
    if (place === undefined) return id;
    const bound = { id, caller: nameOf(identity), place, scopes: identity.scopes };
    const text = JSON.stringify({ ...bound, untilMs: Date.now() + OPENS_FOR_MS, begun: kept(begun) } satisfies Signed);
    // What a client says of itself goes back to it inside of the id, where no secret would be found any more.
    const isClean = scrubber.text(text) === text;
    return (isClean && text.length <= SIGNED_MAX ? await this.#stamp.sign(text) : undefined) ?? id;
  }

  /** @returns what the session is opened anew with; "never" where it is not, "later" where that cannot be known now */
  async read(sessionId: string, { identity }: Grant, placeOf: PlaceOf): Promise<Begun | "never" | "later"> {
    const isEnded = await this.isEnded(sessionId);
    if (isEnded === undefined) return "later";
    const text = isEnded || !isSigned(sessionId) ? undefined : await this.#stamp.open(sessionId);
    if (text === undefined) return "never";
    const { caller, place, scopes, untilMs, begun } = JSON.parse(text) as Signed;
    const mayAsMuch = scopes.every((scope) => identity.scopes.includes(scope));
    if (caller !== nameOf(identity) || !mayAsMuch || untilMs <= Date.now()) return "never";
    const here = await placeOf();
    if (here === undefined) return "later";
    return here === place ? begun : "never";
  }

  /** From now on nothing is opened anew by it, at any server. @returns false where that could not be noted */
  async end(sessionId: string): Promise<boolean> {
    if (!isSigned(sessionId)) return true;
    const nowMs = Date.now();
    return (await this.#ended.note(digestOf(sessionId), nowMs + OPENS_FOR_MS, nowMs)).ok;
  }

  /** @returns undefined where that cannot be known now */
  async isEnded(sessionId: string): Promise<boolean | undefined> {
    const found = isSigned(sessionId) ? await this.#ended.has(digestOf(sessionId)) : ok(false);
    return found.ok ? found.value : undefined;
  }
}

/** Tells whether it may be one that opens a session anew; a random one has no dot. */
function isSigned(sessionId: string): boolean {
  return sessionId.includes(".");
}

/** Names it by a digest, as the client can read its id and the key may be made of a token. */
function nameOf({ key, tenant = "" }: Identity): string {
  return createHash("sha256")
    .update(JSON.stringify([key, tenant]))
    .digest("base64url");
}

/** Keeps of its capabilities those that decide what it is shown and asked. */
function kept({ protocolVersion, capabilities, clientInfo }: Begun): Begun {
  const { elicitation, extensions } = capabilities;
  const { name, version } = clientInfo;
  return { protocolVersion, capabilities: defined({ elicitation, extensions }), clientInfo: { name, version } };
}

const ENDED_MAX = 10_000;

/** Serves a server without a store. */
class EndedHere implements EndedSessions {
  readonly #digests = new Set<string>();

  async note(digest: string): Promise<Result<void>> {
    this.#digests.add(digest);
    const [oldest = ""] = this.#digests;
    if (this.#digests.size > ENDED_MAX) this.#digests.delete(oldest);
    return ok(undefined);
  }

  async has(digest: string): Promise<Result<boolean>> {
    return ok(this.#digests.has(digest));
  }
}
