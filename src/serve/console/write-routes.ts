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
import type { RemovePasskey } from "./console-api.ts";
import {
  ofFault,
  postedBy,
  type Refusal,
  refused,
  sendFailure,
  sessionOf,
  type Take,
  taking,
} from "./console-request.ts";
import type { Writes } from "./console-routes.ts";
import type { ConsoleSessions } from "./console-session.ts";
import { type Acted, ConsoleWrites, id, planAction, WRITES, type WriteParts } from "./console-writes.ts";
import { type ConsolePasskeys, notAvailable, type PasskeyPlace, proof, prove } from "./person-proof.ts";

export interface WriteRouteParts extends Omit<WriteParts, "passkeys" | "now"> {
  readonly passkeys?: ConsolePasskeys;
  readonly sessions: ConsoleSessions;
  readonly peers: Peers;
  /** Told of what halts or cancels. @param ended resolves when it has ended */
  readonly onUrgent: (ended: Promise<void>) => void;
}

/** @param at where the request came from, for a proof */
type Act<Path extends keyof Writes> = (at: PasskeyPlace) => Promise<Acted<Path>>;
type Acts = { readonly [Path in keyof Writes]: Take<Writes[Path]["asked"], Act<Path>> };

/** Take risk away, and go before what looks. */
const URGENT: readonly string[] = ["halt", "cancel"] satisfies readonly (keyof Writes)[];
/** Is done also where the server is about to end. */
const ALWAYS: string = "halt" satisfies keyof Writes;

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
  const acts: Acts = {
    approve: taking(WRITES.approve, (body, at) => writes.approve(body, at)),
    deny: taking(WRITES.deny, (body) => writes.deny(body)),
    halt: taking(WRITES.halt, (body) => writes.halt(body)),
    resume: taking(WRITES.resume, (body, at) => writes.resume(body, at)),
    cancel: taking(WRITES.cancel, (body) => writes.cancel(body)),
    plan: taking(WRITES.plan, (body, at) => writes.plan(body, at)),
    ...passkeyActs(parts),
    "sign-out": taking(z.strictObject({}), async (_, { session }) => {
      const ended = await sessions.end(session);
      return ended.ok ? { report: {} } : { refusal: ofFault(ended.fault, parts.words) };
    }),
  };
  return Object.fromEntries(
    Object.entries(acts).map(([path, take]) => [path, { POST: writing(path, take, given, running) }]),
  );
}

function writing(
  path: string,
  take: Take<never, Act<keyof Writes>>,
  given: WriteRouteParts,
  running: RunningWrites,
): Handler {
  return async (request, response) => {
    const session = sessionOf(request, response, given);
    if (session === undefined) return;
    if (URGENT.includes(path)) given.onUrgent(closed(response));
    const posted = await postedBy(request, session, take);
    if ("refusal" in posted) return sendFailure(response, posted.refusal);
    if (running.isStopping && path !== ALWAYS) return sendFailure(response, STOPPING);
    const at = { origin: given.peers.originOf(request), session };
    const ended = await running.run(response, () => posted.act(at));
    if (response.headersSent) return;
    if ("refusal" in ended) sendFailure(response, ended.refusal);
    else sendJson(response, 200, ended.report);
  };
}

const challengeRequest = z.discriminatedUnion("purpose", [
  z.strictObject({ purpose: z.literal("approve"), id, digest: z.string().max(200) }),
  z.strictObject({ purpose: z.literal("resume"), shown: z.string().max(200).optional() }),
  z.strictObject({ purpose: z.literal("plan"), plan_id: id, action: planAction }),
  z.strictObject({ purpose: z.literal("remove"), passkey_id: id }),
  z.strictObject({ purpose: z.literal("enrol") }),
]);
const beginPasskey = z.strictObject({ name: z.string().min(1).max(100), proof: proof.optional() });
const finishPasskey = z.strictObject({ response: z.unknown() });
const removePasskey = z.strictObject({ id, proof });

type PasskeyPath = "challenge" | "passkeys/begin" | "passkeys/finish" | "passkeys/remove";

/** All of them refuse where there are no passkeys. */
function passkeyActs(parts: WriteParts): Pick<Acts, PasskeyPath> {
  const { passkeys, pin, words } = parts;
  const acted = async <Report>(
    act: (known: ConsolePasskeys) => Promise<Result<Report>>,
  ): Promise<{ readonly report: Report } | { readonly refusal: Refusal }> => {
    if (passkeys === undefined) return { refusal: notAvailable() };
    const done = await act(passkeys);
    return done.ok ? { report: done.value } : { refusal: ofFault(done.fault, words) };
  };
  const begin = async (
    { name, proof: given }: z.infer<typeof beginPasskey>,
    at: PasskeyPlace,
  ): Promise<Acted<"passkeys/begin">> => {
    const known = await passkeys?.list();
    const isFirst = !(await pin.isSet()) && known?.ok === true && known.value.length === 0;
    if (passkeys === undefined || isFirst) return acted((all) => all.begin(name, at, undefined));
    if (given === undefined) return { refusal: refused(403, "proof_needed", words.say("console.proof_needed")) };
    const proven = await prove(given, { purpose: "enrol" }, at, parts);
    return "refusal" in proven ? proven : acted((all) => all.begin(name, at, proven));
  };
  const remove = async (wanted: RemovePasskey, at: PasskeyPlace): Promise<Acted<"passkeys/remove">> => {
    if (passkeys === undefined) return { refusal: notAvailable() };
    const proven = await prove(wanted.proof, { purpose: "remove", passkey_id: wanted.id }, at, parts);
    if ("refusal" in proven) return proven;
    return acted(async (all) => {
      const removed = await all.remove(wanted.id);
      return removed.ok ? ok({}) : removed;
    });
  };
  return {
    challenge: taking(challengeRequest, (request, at) => acted((all) => all.challenge(request, at))),
    "passkeys/begin": taking(beginPasskey, begin),
    "passkeys/finish": taking(finishPasskey, ({ response }, at) => acted((all) => all.finish(response, at))),
    "passkeys/remove": taking(removePasskey, remove),
  };
}
