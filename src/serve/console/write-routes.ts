/**
 * Owns by which paths a person acts at the console, and how the end of the server waits for what was begun.
 *
 * Source: decision 0044.
 */
import type { ServerResponse } from "node:http";
import { z } from "zod";
import { ok, type Result } from "../../contract/index.ts";
import type { InFlight } from "../wire/in-flight.ts";
import { sendJson } from "../wire/page.ts";
import type { Peers } from "../wire/peers.ts";
import type { Handler, Routes } from "../wire/route.ts";
import { closed } from "../wire/web-answer.ts";
import { ofFault, postedBy, type Refusal, refused, sendFailure, sessionOf } from "./console-request.ts";
import type { ConsoleSessions } from "./console-session.ts";
import { ConsoleWrites, id, WRITES, type WriteParts } from "./console-writes.ts";
import { type ConsolePasskeys, notAvailable, type PasskeyPlace, proof, prove } from "./person-proof.ts";

export interface WriteRouteParts extends Omit<WriteParts, "passkeys" | "now"> {
  readonly passkeys?: ConsolePasskeys;
  readonly sessions: ConsoleSessions;
  readonly peers: Peers;
  /** Told of what halts or cancels. @param ended resolves when it has ended */
  readonly onUrgent: (ended: Promise<void>) => void;
}

/** Does it, and says what was done. @param at where the request came from, for a proof */
type Act<Body> = (body: Body, at: PasskeyPlace) => Promise<Acted>;
type Acted = { readonly report: object } | { readonly refusal: Refusal };

export class RunningWrites {
  readonly #inFlight: InFlight<unknown>;
  readonly #onEnd: () => void;
  readonly #running = new Set<Promise<unknown>>();

  /** @param onEnd told of the end of each */
  constructor(inFlight: InFlight<unknown>, onEnd: () => void) {
    this.#inFlight = inFlight;
    this.#onEnd = onEnd;
  }

  async run<Done>(response: ServerResponse, write: () => Promise<Done>): Promise<Done> {
    this.#inFlight.begin(response, () => dismiss(response));
    void closed(response).then(() => this.#inFlight.end(response));
    const writing = write().finally(this.#onEnd);
    this.#running.add(writing);
    const ended = (): void => void this.#running.delete(writing);
    writing.then(ended, ended);
    return writing;
  }

  get isStopping(): boolean {
    return this.#inFlight.isStopping;
  }

  async idle(): Promise<void> {
    while (this.#running.size > 0) await Promise.allSettled(this.#running);
  }
}

const STOPPING = refused(503, "stopping", "The server stops: nothing of this was done.");
const STOPPED = refused(
  503,
  "stopped",
  "The server stopped, and did not wait for this answer. Look what became of it.",
);

function dismiss(response: ServerResponse): void {
  if (!response.headersSent) sendFailure(response, STOPPED);
}

export function writeRoutes(given: WriteRouteParts, running: RunningWrites): Routes {
  const { sessions, passkeys } = given;
  const parts: WriteParts = { ...given, passkeys, now: () => Date.now() };
  const writes = new ConsoleWrites(parts);
  const write = <Body>(shape: z.ZodType<Body>, act: Act<Body>, when?: "always" | "urgent") => ({
    POST: writing({ given, running, isAlways: when === "always", isUrgent: when !== undefined }, shape, act),
  });
  const ofPasskeys = passkeyActs(parts);
  return {
    approve: write(WRITES.approve, (body, at) => writes.approve(body, at)),
    deny: write(WRITES.deny, (body) => writes.deny(body)),
    halt: write(WRITES.halt, (body) => writes.halt(body), "always"),
    resume: write(WRITES.resume, (body, at) => writes.resume(body, at)),
    cancel: write(WRITES.cancel, (body) => writes.cancel(body), "urgent"),
    challenge: write(challengeRequest, ofPasskeys.challenge),
    "passkeys/begin": write(beginPasskey, ofPasskeys.begin),
    "passkeys/finish": write(z.strictObject({ response: z.unknown() }), ofPasskeys.finish),
    "passkeys/remove": write(z.strictObject({ id, proof }), ofPasskeys.remove),
    "sign-out": write(z.strictObject({}), async (_, { session }) => {
      const ended = await sessions.end(session);
      return ended.ok ? { report: {} } : { refusal: ofFault(ended.fault, parts.words) };
    }),
  };
}

interface Writing {
  readonly given: WriteRouteParts;
  readonly running: RunningWrites;
  /** Says that it is done also where the server is about to end. */
  readonly isAlways: boolean;
  /** It takes risk away, and goes before what looks. */
  readonly isUrgent: boolean;
}

function writing<Body>(
  { given, running, isAlways, isUrgent }: Writing,
  shape: z.ZodType<Body>,
  act: Act<Body>,
): Handler {
  return async (request, response) => {
    const session = sessionOf(request, response, given);
    if (session === undefined) return;
    if (isUrgent) given.onUrgent(closed(response));
    const posted = await postedBy(request, session, shape);
    if ("refusal" in posted) return sendFailure(response, posted.refusal);
    if (running.isStopping && !isAlways) return sendFailure(response, STOPPING);
    const at = { origin: given.peers.originOf(request), session };
    const ended = await running.run(response, () => act(posted.body, at));
    if (response.headersSent) return;
    if ("refusal" in ended) sendFailure(response, ended.refusal);
    else sendJson(response, 200, ended.report);
  };
}

const challengeRequest = z.discriminatedUnion("purpose", [
  z.strictObject({ purpose: z.literal("approve"), id, digest: z.string().max(200) }),
  z.strictObject({ purpose: z.literal("resume") }),
  z.strictObject({ purpose: z.literal("remove"), passkey_id: id }),
  z.strictObject({ purpose: z.literal("enrol") }),
]);
const beginPasskey = z.strictObject({ name: z.string().min(1).max(100), proof: proof.optional() });

/** All of them refuse where there are no passkeys. */
function passkeyActs(parts: WriteParts) {
  const { passkeys, pin, words } = parts;
  const acted = async (act: (known: ConsolePasskeys) => Promise<Result<object>>): Promise<Acted> => {
    if (passkeys === undefined) return { refusal: notAvailable() };
    const done = await act(passkeys);
    return done.ok ? { report: done.value } : { refusal: ofFault(done.fault, words) };
  };
  const begin: Act<z.infer<typeof beginPasskey>> = async ({ name, proof: given }, at) => {
    const known = await passkeys?.list();
    const isFirst = !(await pin.isSet()) && known?.ok === true && known.value.length === 0;
    if (passkeys === undefined || isFirst) return acted((all) => all.begin(name, at, undefined));
    if (given === undefined) return { refusal: refused(403, "proof_needed", words.say("console.proof_needed")) };
    const proven = await prove(given, { purpose: "enrol" }, at, parts);
    return "refusal" in proven ? proven : acted((all) => all.begin(name, at, proven));
  };
  const challenge: Act<z.infer<typeof challengeRequest>> = (request, at) => acted((all) => all.challenge(request, at));
  const finish: Act<{ readonly response: unknown }> = ({ response }, at) => acted((all) => all.finish(response, at));
  const remove: Act<{ readonly id: string; readonly proof: z.infer<typeof proof> }> = async (wanted, at) => {
    if (passkeys === undefined) return { refusal: notAvailable() };
    const proven = await prove(wanted.proof, { purpose: "remove", passkey_id: wanted.id }, at, parts);
    if ("refusal" in proven) return proven;
    return acted(async (all) => {
      const removed = await all.remove(wanted.id);
      return removed.ok ? ok({}) : removed;
    });
  };
  return { begin, challenge, finish, remove };
}
