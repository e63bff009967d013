/**
 * The API of Upbit (v1, won markets) over the exchange, as a family: which endpoint, who calls, whether its rate permits, the answer. Entry
 * point: `UPBIT`.
 *
 * Invariants: it shares nothing with any client of Upbit; every failure has Upbit's form, and SOURCES.md says on what each stands; the reply to a call
 * that changed the exchange leaves after the change is on disk.
 */
import { plainAddress } from "../../access/address.ts";
import { type Answered, type Family, headerOf, type Reply, type RequestHead } from "../../http/family.ts";
import { FAMILY_EFFECT_KINDS, type FamilyEffect } from "../../http/family-effect.ts";
import type { Fault } from "../../http/outcome.ts";
import type { Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { UsedNames } from "../../service/used-names.ts";
import { AveragePrices } from "../../venue-kit/average-prices.ts";
import { writtenJson } from "../../venue-kit/json-text.ts";
import { OrderMemory } from "../../venue-kit/order-memory.ts";
import { type Entered, RateGroups } from "../../venue-kit/rate-groups.ts";
import { durableAnswer, textReply } from "../../venue-kit/reply.ts";
import { Nonces } from "../../venue-kit/web-token.ts";
import { type AuthenticationParts, authenticate, VARIANTS } from "./authentication.ts";
import { PRIVATE_ENDPOINTS, PUBLIC_ENDPOINTS } from "./endpoints.ts";
import { UPBIT_MARKETS } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import { numbered, refuse, type UpbitError, type UpbitOutcome } from "./outcome.ts";
import { PARAMETERS } from "./parameters.ts";
import { BAN, GROUPS, type GroupName } from "./rate-groups.ts";
import { STREAM_PATH, UpbitStream } from "./stream.ts";
import type { PrivateCall } from "./upbit-call.ts";

interface FamilyParts extends AuthenticationParts {
  readonly rates: RateGroups<GroupName>;
  readonly memory: OrderMemory<OrderNote>;
  readonly identifiers: UsedNames;
  readonly averages: AveragePrices;
  readonly startedAt: Millis;
}

/** An answer, with what is left of the rate once it is known. */
interface Result {
  readonly outcome: UpbitOutcome | Refused;
  readonly group?: GroupName;
  readonly left?: number;
}

/** No order of Upbit is taken without being ready to be looked up. */
const EFFECTS = FAMILY_EFFECT_KINDS.filter((kind) => kind !== "not_ready");

/** Over the rate. */
type Refused = Extract<Entered, { ok: false }>;

/** What the sandbox needs to know of it to be an Upbit. */
export const UPBIT = {
  markets: UPBIT_MARKETS,
  variants: VARIANTS,
  streamPath: STREAM_PATH,
  family: upbitFamily,
} as const;

interface UpbitOptions {
  /** Where it keeps what the exchange does not; nowhere without one. */
  readonly dir?: string | undefined;
  /** One of the variants. Default: the first. */
  readonly variant?: string | undefined;
}

function upbitFamily(service: Service, { dir, variant: named }: UpbitOptions = {}): Family {
  const parts: FamilyParts = {
    service,
    variant: VARIANTS.find((variant) => variant === named) ?? "newest",
    secrets: new Map(),
    nonces: new Nonces(),
    rates: new RateGroups(GROUPS, service.limits.venueRateFactor, BAN),
    memory: new OrderMemory(),
    identifiers: new UsedNames(dir),
    averages: new AveragePrices(service.exchange),
    startedAt: service.now(),
  };
  const stream = new UpbitStream(parts);
  return {
    serves: () => true,
    admit: () => undefined,
    effects: EFFECTS,
    answer: (head, body, effect) => answerOf(parts, resultOf(parts, head, body, effect)),
    refuse: (refused) => replyOf({ outcome: refusedByServer(refused) }),
    upgrade: (...connection) => stream.upgrade(...connection),
    close() {
      stream.close();
      parts.memory.close();
    },
  };
}

function answerOf({ service }: FamilyParts, result: Result): Answered {
  const unsaved = (): Reply => replyOf({ ...result, outcome: refuse("server_error") });
  const changed = "changed" in result.outcome && result.outcome.changed === true;
  return durableAnswer(service, replyOf(result), changed, unsaved);
}

function resultOf(parts: FamilyParts, head: RequestHead, body: Buffer, effect: FamilyEffect | undefined): Result {
  if (parts.service.journaled.failed !== undefined) return { outcome: refuse("server_error") };
  const open = head.method === "GET" ? PUBLIC_ENDPOINTS.get(head.path) : undefined;
  if (open === undefined) return privateResult(parts, head, body, effect);
  const { group, handle } = open;
  const scope = plainAddress(head.address ?? "");
  const at = parts.service.now();
  const byPage = headerOf(head, "origin") === undefined ? undefined : parts.rates.enter("origin", scope, at);
  if (byPage?.ok === false) return { outcome: byPage, group };
  const entered = parts.rates.enter(group, scope, at);
  if (!entered.ok) return { outcome: entered, group };
  const sent = PARAMETERS.readQuery(head.queryText);
  const { service } = parts;
  const outcome = sent.ok ? handle({ service, at, parameters: sent.parameters, effect }) : sent;
  return { outcome, group, left: entered.left };
}

function privateResult(parts: FamilyParts, head: RequestHead, body: Buffer, effect: FamilyEffect | undefined): Result {
  const endpoint = PRIVATE_ENDPOINTS.get(`${head.method} ${head.path}`);
  if (endpoint === undefined) return { outcome: numbered(404, "no Route matched with those values") };
  const { group, permission, handle } = endpoint;
  const sent =
    head.method === "POST"
      ? PARAMETERS.readBody(headerOf(head, "content-type"), body)
      : PARAMETERS.readQuery(head.queryText);
  if (!sent.ok) return { outcome: sent };
  const caller = authenticate(parts, head, sent);
  if (!caller.ok) return { outcome: caller };
  const { key } = caller;
  const { service, memory, identifiers, averages, startedAt, variant } = parts;
  const at = service.now();
  const entered = parts.rates.enter(group, key.accountId, at);
  if (!entered.ok) return { outcome: entered, group };
  const { left } = entered;
  if (permission !== undefined && !key.permissions.includes(permission))
    return { outcome: { ...refuse("out_of_scope"), status: variant === "other" ? 403 : 401 }, group, left };
  const { parameters } = sent;
  const call: PrivateCall = {
    ...{ service, at, key, memory, identifiers, averages, startedAt, variant, parameters, effect },
  };
  return { outcome: handle(call), group, left };
}

/** The text of a 429 is no JSON. A ban says how long it lasts. */
function replyOf({ outcome, group, left = 0 }: Result): Reply {
  const rate = group === undefined ? [] : ["Remaining-Req", remainingText(group, left)];
  if ("waitMs" in outcome) {
    if (outcome.status === 429) return textReply(429, "text/plain;charset=utf-8", "Too many API requests.", rate);
    return jsonReply(418, banned(outcome.waitMs), rate);
  }
  return jsonReply(outcome.status, outcome, rate);
}

function remainingText(group: GroupName, left: number): string {
  const { perWindow, windowMs } = GROUPS[group];
  return `group=${group}; min=${(perWindow * 60_000) / windowMs}; sec=${left}`;
}

function banned(waitMs: Millis): UpbitError {
  const seconds = Math.ceil(waitMs / 1_000);
  return { ok: false, status: 418, name: "too_many_requests", message: `blocked for ${seconds} seconds` };
}

function jsonReply(status: number, outcome: UpbitOutcome, headers: readonly string[]): Reply {
  const body = outcome.ok ? outcome.body : { error: { name: outcome.name, message: outcome.message } };
  return textReply(status, "application/json;charset=UTF-8", writtenJson(body), headers);
}

/** A fault of HTTP, or one that was injected. */
function refusedByServer({ status, message, retryAfterMs: waitMs = 0 }: Fault): UpbitOutcome | Refused {
  if (status === 429 || status === 418) return { ok: false, status, waitMs };
  if (status >= 500) return { ...refuse("server_error"), status };
  return { ok: false, status, name: status, message };
}
