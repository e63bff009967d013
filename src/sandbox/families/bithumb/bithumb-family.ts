/**
 * The API of Bithumb (2.x, won markets) over the exchange, as a family: which endpoint, who calls, whether its rate permits, the answer. Entry
 * point: `BITHUMB`.
 *
 * Invariants: it shares nothing with any client of Bithumb; every failure has Bithumb's form, and SOURCES.md says on what each stands; the reply to a
 * call that changed the exchange leaves after the change is on disk.
 */
import { plainAddress } from "../../access/address.ts";
import { type Answered, type Family, headerOf, type Reply, type RequestHead } from "../../http/family.ts";
import { FAMILY_EFFECT_KINDS, type FamilyEffect } from "../../http/family-effect.ts";
import type { Fault } from "../../http/outcome.ts";
import type { Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { AveragePrices } from "../../venue-kit/average-prices.ts";
import { writtenJson } from "../../venue-kit/json-text.ts";
import { OrderMemory } from "../../venue-kit/order-memory.ts";
import { RateGroups } from "../../venue-kit/rate-groups.ts";
import { durableAnswer, textReply } from "../../venue-kit/reply.ts";
import { Nonces } from "../../venue-kit/web-token.ts";
import { type AuthenticationParts, authenticate, VARIANTS, type Variant } from "./authentication.ts";
import type { PrivateCall } from "./bithumb-call.ts";
import { PRIVATE_ENDPOINTS, PUBLIC_ENDPOINTS } from "./endpoints.ts";
import { FIGURES } from "./figures.ts";
import { BITHUMB_MARKETS } from "./market-rules.ts";
import type { OrderNote } from "./order-note.ts";
import { type BithumbError, type BithumbOutcome, errorView, numbered, refuse } from "./outcome.ts";
import { PARAMETERS } from "./parameters.ts";
import { GROUPS, type GroupName } from "./rate-groups.ts";
import { BithumbStream, STREAM_PATH } from "./stream.ts";

interface FamilyParts extends AuthenticationParts {
  readonly rates: RateGroups<GroupName>;
  readonly memory: OrderMemory<OrderNote>;
  readonly unready: Map<string, Millis>;
  readonly averages: AveragePrices;
  readonly startedAt: Millis;
}

/** What the sandbox needs to know of it to be a Bithumb. */
export const BITHUMB = {
  markets: BITHUMB_MARKETS,
  variants: VARIANTS,
  streamPath: STREAM_PATH,
  family: bithumbFamily,
} as const;

/** The pages ask for a new nonce each time, and have no error for one that was used. */
const FORGETFUL = { use: () => true };

interface BithumbOptions {
  /** One of the variants. Default: the first. */
  readonly variant?: string | undefined;
}

function bithumbFamily(service: Service, { variant: named }: BithumbOptions = {}): Family {
  const variant = VARIANTS.find((each) => each === named) ?? "newest";
  const parts: FamilyParts = {
    service,
    variant,
    secrets: new Map(),
    nonces: variant === "other" ? FORGETFUL : new Nonces(),
    rates: new RateGroups(GROUPS, service.limits.venueRateFactor),
    memory: new OrderMemory(),
    unready: new Map(),
    averages: new AveragePrices(service.exchange),
    startedAt: service.now(),
  };
  const stream = new BithumbStream(parts);
  return {
    serves: () => true,
    admit: () => undefined,
    effects: FAMILY_EFFECT_KINDS,
    answer: (head, body, effect) => answerOf(parts, resultOf(parts, head, body, effect)),
    refuse: (refused) => replyOf(refusedByServer(refused)),
    upgrade: (...connection) => stream.upgrade(...connection),
    close() {
      stream.close();
      parts.memory.close();
    },
  };
}

function answerOf({ service, variant }: FamilyParts, outcome: BithumbOutcome): Answered {
  const reply = replyOf(outcome, variant);
  return durableAnswer(service, reply, outcome.changed === true, () => replyOf(refuse("server_error")));
}

function resultOf(
  parts: FamilyParts,
  head: RequestHead,
  body: Buffer,
  effect: FamilyEffect | undefined,
): BithumbOutcome {
  const { service, rates, variant } = parts;
  if (service.journaled.failed !== undefined) return refuse("server_error");
  const open = head.method === "GET" ? PUBLIC_ENDPOINTS.get(head.path) : undefined;
  if (open === undefined) return privateResult(parts, head, body, effect);
  const at = service.now();
  if (!rates.enter(open.group, plainAddress(head.address ?? ""), at).ok) return refuse("too_many_requests");
  const sent = PARAMETERS.readQuery(head.queryText);
  return sent.ok ? open.handle({ service, at, parameters: sent.parameters, figures: FIGURES[variant], effect }) : sent;
}

function privateResult(
  parts: FamilyParts,
  head: RequestHead,
  body: Buffer,
  effect: FamilyEffect | undefined,
): BithumbOutcome {
  const endpoint = PRIVATE_ENDPOINTS.get(`${head.method} ${head.path}`);
  if (endpoint === undefined) return numbered(404, "no Route matched with those values");
  const { group, permission, handle } = endpoint;
  const { service, rates, variant, memory, unready, averages, startedAt } = parts;
  const sent =
    head.method === "POST"
      ? PARAMETERS.readBody(headerOf(head, "content-type"), body)
      : PARAMETERS.readQuery(head.queryText);
  if (!sent.ok) return sent;
  const at = service.now();
  const address = plainAddress(head.address ?? "");
  if (!rates.enter(group, address, at).ok) return refuse("too_many_requests");
  const caller = authenticate(parts, head, sent);
  if (!caller.ok) return caller;
  const { key } = caller;
  if (permission !== undefined && !key.permissions.includes(permission)) return refuse("out_of_scope");
  const chargeAsset = (symbol: string): BithumbError | undefined =>
    rates.enter("asset", `${address} ${symbol}`, at).ok ? undefined : refuse("too_many_requests");
  const call: PrivateCall = {
    ...{ service, at, key, memory, unready, averages, startedAt, effect, chargeAsset },
    parameters: sent.parameters,
    figures: FIGURES[variant],
    repeatsAnswer: variant === "other",
  };
  return handle(call);
}

/**
 * Recorded refusals of quotations have the status in the place of the name, and 200 as their status. Clients know that of any refusal, which is
 * why the other variant has it for those of orders.
 */
function statusOf(outcome: BithumbOutcome, variant: Variant | undefined): number {
  if (outcome.ok || variant === undefined) return outcome.status;
  const isQuotation = typeof outcome.name === "number";
  const isHidden = variant === "newest" ? isQuotation : !isQuotation && outcome.status === 400;
  return isHidden ? 200 : outcome.status;
}

/** @param variant undefined for what the server refuses */
function replyOf(outcome: BithumbOutcome, variant?: Variant): Reply {
  const body = outcome.ok ? outcome.body : { error: errorView(outcome) };
  return textReply(statusOf(outcome, variant), "application/json;charset=UTF-8", writtenJson(body));
}

/** A fault of HTTP, or one that was injected. */
function refusedByServer({ status, message }: Fault): BithumbOutcome {
  if (status === 429 || status === 418) return { ...refuse("too_many_requests"), status };
  if (status >= 500) return { ...refuse("server_error"), status };
  return { ok: false, status, name: status, message };
}
