/**
 * The API of Korbit (v2, won markets) over the exchange, as a family: which endpoint, who calls, whether its rate permits, the answer. Entry
 * point: `KORBIT`.
 *
 * Invariants: it shares nothing with any client of Korbit; every failure has Korbit's form, and SOURCES.md says on what each stands; the reply to a call
 * that changed the exchange leaves after the change is on disk.
 */
import { plainAddress } from "../../access/address.ts";
import { type Answered, type Family, headerOf, type Reply, type RequestHead } from "../../http/family.ts";
import { FAMILY_EFFECT_KINDS, type FamilyEffect } from "../../http/family-effect.ts";
import type { Fault } from "../../http/outcome.ts";
import type { Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { AveragePrices } from "../../venue-kit/average-prices.ts";
import { OrderMemory } from "../../venue-kit/order-memory.ts";
import { type Entered, RateGroups } from "../../venue-kit/rate-groups.ts";
import { durableAnswer, textReply } from "../../venue-kit/reply.ts";
import { type AuthenticationParts, authenticate } from "./authentication.ts";
import { Cancellations, type Later } from "./cancellations.ts";
import { GROUPS, type GroupName, PRIVATE_ENDPOINTS, PUBLIC_ENDPOINTS } from "./endpoints.ts";
import { KeyPairs, privateKeyText } from "./key-pair.ts";
import type { PrivateCall } from "./korbit-call.ts";
import { KORBIT_MARKETS } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import { OrderNumbers } from "./order-numbers.ts";
import { type ErrorName, type KorbitOutcome, refuse, VARIANTS, type Variant, writtenOutcome } from "./outcome.ts";
import { readParameters } from "./parameters.ts";
import { KorbitStream, PUBLIC_STREAM_PATH } from "./stream.ts";

interface FamilyParts extends AuthenticationParts {
  readonly variant: Variant;
  readonly rates: RateGroups<GroupName>;
  readonly memory: OrderMemory<OrderNote>;
  readonly numbers: OrderNumbers;
  readonly cancellations: Cancellations;
  readonly averages: AveragePrices;
  readonly startedAt: Millis;
}

/** An answer, with what is left of the rate once it is known. */
interface Result {
  readonly outcome: KorbitOutcome;
  readonly rate?: { readonly group: GroupName; readonly entered: Entered };
  readonly retryAfterMs?: Millis;
}

/** What the sandbox needs to know of it to be a Korbit. */
export const KORBIT = {
  markets: KORBIT_MARKETS,
  variants: VARIANTS,
  streamPath: PUBLIC_STREAM_PATH,
  marketsPath: "/v2/currencyPairs",
  privateKey: privateKeyText,
  family: korbitFamily,
} as const;

interface KorbitOptions {
  /** One of the variants. Default: the first. */
  readonly variant?: string | undefined;
  /** Default: by timers. */
  readonly later?: Later;
}

function korbitFamily(service: Service, { variant: named, later }: KorbitOptions = {}): Family {
  const parts: FamilyParts = {
    service,
    variant: VARIANTS.find((variant) => variant === named) ?? "newest",
    secrets: new Map(),
    keyPairs: new KeyPairs(),
    rates: new RateGroups(GROUPS, service.limits.venueRateFactor),
    memory: new OrderMemory(),
    numbers: new OrderNumbers(),
    cancellations: new Cancellations(service, later),
    averages: new AveragePrices(service.exchange),
    startedAt: service.now(),
  };
  const stream = new KorbitStream(parts);
  return {
    serves: () => true,
    admit: () => undefined,
    effects: FAMILY_EFFECT_KINDS.filter((kind) => kind !== "not_ready"),
    answer: (head, body, effect) => answerOf(parts, resultOf(parts, head, body, effect)),
    refuse: (refused) => replyOf(parts, refusedByServer(refused)),
    upgrade: (...connection) => stream.upgrade(...connection),
    close() {
      stream.close();
      parts.memory.close();
      parts.cancellations.close();
    },
  };
}

function answerOf(parts: FamilyParts, result: Result): Answered {
  const unsaved = (): Reply => replyOf(parts, { ...result, outcome: refuse("INTERNAL_SERVER_ERROR") });
  return durableAnswer(parts.service, replyOf(parts, result), result.outcome.changed === true, unsaved);
}

function resultOf(parts: FamilyParts, head: RequestHead, body: Buffer, effect: FamilyEffect | undefined): Result {
  const { service, variant } = parts;
  if (service.journaled.failed !== undefined) return { outcome: refuse("INTERNAL_SERVER_ERROR") };
  const open = head.method === "GET" ? PUBLIC_ENDPOINTS.get(head.path) : undefined;
  if (open === undefined) return privateResult(parts, head, body, effect);
  const at = service.now();
  const entered = parts.rates.enter("public", plainAddress(head.address ?? ""), at);
  const rate = { group: "public", entered } as const;
  if (!entered.ok) return { outcome: refuse("TOO_MANY_REQUESTS"), rate };
  const sent = readParameters(head.queryText, undefined, Buffer.alloc(0));
  if (!sent.ok) return { outcome: sent, rate };
  const { parameters } = sent;
  return { outcome: open({ service, at: at + skewOf(effect), parameters, effect, variant }), rate };
}

function privateResult(parts: FamilyParts, head: RequestHead, body: Buffer, effect: FamilyEffect | undefined): Result {
  const endpoint = PRIVATE_ENDPOINTS.get(`${head.method} ${head.path}`);
  if (endpoint === undefined) return { outcome: refuse("NOT_FOUND") };
  const { group, permission, handle } = endpoint;
  const sent = readParameters(head.queryText, headerOf(head, "content-type"), body);
  if (!sent.ok) return { outcome: sent };
  const { service, rates, memory, numbers, cancellations, averages, startedAt, variant, keyPairs } = parts;
  const at = service.now();
  const caller = authenticate(parts, head, sent, at + skewOf(effect));
  if (!caller.ok) return { outcome: caller };
  const { key, keyType } = caller;
  const entered = rates.enter(group, key.accountId, at);
  const rate = { group, entered };
  if (!entered.ok) return { outcome: refuse("TOO_MANY_REQUESTS"), rate };
  if (permission !== undefined && !key.permissions.includes(permission)) return { outcome: refuse("FORBIDDEN"), rate };
  const { parameters } = sent;
  const call: PrivateCall = {
    ...{ service, at, key, keyType, keyPairs, memory, numbers, cancellations, averages, startedAt, variant },
    ...{ parameters, effect },
  };
  return { outcome: handle(call), rate };
}

/** How far ahead the clock is that this request finds. */
function skewOf(effect: FamilyEffect | undefined): Millis {
  return effect?.kind === "clock_skew" ? effect.ms : 0;
}

/** A refusal by the rate says when to come again, and not what is left. */
function replyOf({ service, variant }: FamilyParts, { outcome, rate, retryAfterMs }: Result): Reply {
  const { status, body } = writtenOutcome(outcome, variant);
  const headers: string[] = [];
  if (status === 429) headers.push("Retry-After", String(secondsOf(retryAfterMs ?? waitOf(rate?.entered))));
  if (rate !== undefined) {
    const { group, entered } = rate;
    const { perWindow, windowMs } = GROUPS[group];
    const limit = perWindow * service.limits.venueRateFactor;
    if (entered.ok) headers.push("Ratelimit", `limit=${limit}, remaining=${entered.left}, reset=${windowMs / 1_000}`);
    headers.push("Ratelimit-Policy", `${limit};w=${windowMs / 1_000}`);
  }
  return textReply(status, "application/json; charset=utf-8", JSON.stringify(body), headers);
}

/** At least one. */
function secondsOf(ms: Millis): number {
  return Math.max(1, Math.ceil(ms / 1_000));
}

function waitOf(entered: Entered | undefined): Millis {
  return entered?.ok === false ? entered.waitMs : 0;
}

/** A fault of HTTP, or one that was injected. */
function refusedByServer({ status, message, retryAfterMs }: Fault): Result {
  const name: ErrorName =
    status >= 500 ? "INTERNAL_SERVER_ERROR" : status === 429 || status === 418 ? "TOO_MANY_REQUESTS" : "BAD_REQUEST";
  const outcome = { ...refuse(name, message), status };
  return retryAfterMs === undefined ? { outcome } : { outcome, retryAfterMs };
}
