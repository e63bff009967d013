/**
 * The API of Coinone (private 2.1, public 2) over the exchange, as a family: which endpoint, who calls, whether its rate permits, the answer.
 * Entry point: `COINONE`.
 *
 * Invariants: it shares nothing with any client of Coinone; a refusal has status 200 and Coinone's form, and SOURCES.md says on what each stands;
 * the reply to a call that changed the exchange leaves after the change is on disk.
 */
import { plainAddress } from "../../access/address.ts";
import type { Answered, Family, Reply, RequestHead } from "../../http/family.ts";
import { FAMILY_EFFECT_KINDS, type FamilyEffect } from "../../http/family-effect.ts";
import type { Fault } from "../../http/outcome.ts";
import type { Millis } from "../../model/index.ts";
import type { Service } from "../../service/service.ts";
import { UsedNames } from "../../service/used-names.ts";
import { AveragePrices } from "../../venue-kit/average-prices.ts";
import { writtenJson } from "../../venue-kit/json-text.ts";
import { OrderMemory } from "../../venue-kit/order-memory.ts";
import { RateGroups } from "../../venue-kit/rate-groups.ts";
import { durableAnswer, textReply } from "../../venue-kit/reply.ts";
import { Nonces } from "../../venue-kit/web-token.ts";
import { type AuthenticationParts, authenticate } from "./authentication.ts";
import { type OrderNote, VARIANTS, type Variant } from "./coinone-call.ts";
import {
  OLD_BLOCK,
  OLD_PUBLIC_RATE,
  PRIVATE_PREFIX,
  PRIVATE_RATES,
  type PrivateGroup,
  PUBLIC_RATE,
  privateEndpoint,
  publicEndpoint,
} from "./endpoints.ts";
import { COINONE_MARKETS } from "./market-rules.ts";
import { type CoinoneOutcome, ERRORS, refuse } from "./outcome.ts";
import { CoinoneStream, STREAM_PATH } from "./stream.ts";

interface FamilyParts extends AuthenticationParts {
  readonly variant: Variant;
  readonly publicRates: RateGroups<"public">;
  readonly privateRates: RateGroups<PrivateGroup>;
  readonly memory: OrderMemory<OrderNote>;
  readonly userOrderIds: UsedNames;
  readonly averages: AveragePrices;
  readonly startedAt: Millis;
}

/** An answer, with what is left of a rate. */
interface Result {
  readonly outcome: CoinoneOutcome;
  /** The header, which is there while something is left. */
  readonly left?: readonly [name: string, left: number];
  /** It has the names of the older version. */
  readonly isOld?: boolean;
}

/** No order of Coinone is taken without being ready to be looked up. */
const EFFECTS = FAMILY_EFFECT_KINDS.filter((kind) => kind !== "not_ready");

/** What the sandbox needs to know of it to be a Coinone. */
export const COINONE = {
  markets: COINONE_MARKETS,
  variants: VARIANTS,
  streamPath: STREAM_PATH,
  family: coinoneFamily,
} as const;

interface CoinoneOptions {
  /** Where it keeps what the exchange does not; nowhere without one. */
  readonly dir?: string | undefined;
  /** One of the variants. Default: the first. */
  readonly variant?: string | undefined;
}

function coinoneFamily(service: Service, { dir, variant: named }: CoinoneOptions = {}): Family {
  const variant = VARIANTS.find((each) => each === named) ?? "newest";
  const factor = service.limits.venueRateFactor;
  const isOld = variant === "other";
  const parts: FamilyParts = {
    service,
    variant,
    secrets: new Map(),
    nonces: new Nonces(),
    publicRates: new RateGroups(
      { public: isOld ? OLD_PUBLIC_RATE : PUBLIC_RATE },
      factor,
      isOld ? OLD_BLOCK : undefined,
    ),
    privateRates: new RateGroups(PRIVATE_RATES, factor),
    memory: new OrderMemory(),
    userOrderIds: new UsedNames(dir),
    averages: new AveragePrices(service.exchange),
    startedAt: service.now(),
  };
  const stream = new CoinoneStream(parts);
  return {
    serves: () => true,
    admit: () => undefined,
    effects: EFFECTS,
    answer: (head, _, effect) => answerOf(parts, head, effect),
    refuse: refusedByServer,
    upgrade: (...connection) => stream.upgrade(...connection),
    close() {
      stream.close();
      parts.memory.close();
    },
  };
}

function answerOf(parts: FamilyParts, head: RequestHead, effect: FamilyEffect | undefined): Answered {
  const result = resultOf(parts, head, effect);
  if (result === undefined) return { reply: textReply(200, "text/html; charset=utf-8", PAGE) };
  const unsaved = (): Reply => replyOf({ ...result, outcome: refuse(405) });
  return durableAnswer(parts.service, replyOf(result), result.outcome.changed === true, unsaved);
}

/** What is under no path of the API. */
const PAGE = "<!DOCTYPE html><html><head><title>Coinone Open API</title></head><body></body></html>";

/** @returns undefined where there is no endpoint, and a page is shown */
function resultOf(parts: FamilyParts, head: RequestHead, effect: FamilyEffect | undefined): Result | undefined {
  if (parts.service.journaled.failed !== undefined) return { outcome: refuse(405) };
  const isPrivate = head.method === "POST" && head.path.startsWith(PRIVATE_PREFIX);
  if (isPrivate) return privateResult(parts, head, effect);
  return head.method === "GET" ? publicResult(parts, head) : undefined;
}

function publicResult(parts: FamilyParts, head: RequestHead): Result | undefined {
  const found = publicEndpoint(head.path);
  if (found === undefined) return undefined;
  const { service, variant, startedAt } = parts;
  const at = service.now();
  const entered = parts.publicRates.enter("public", plainAddress(head.address ?? ""), at);
  if (!entered.ok) return { outcome: refuse(4), isOld: variant === "other" };
  const query = new URLSearchParams(head.queryText);
  const outcome = found.endpoint.handle({ service, at, variant, startedAt, path: found.path, query });
  return { outcome, left: ["Public-Ratelimit-Remaining", entered.left] };
}

function privateResult(parts: FamilyParts, head: RequestHead, effect: FamilyEffect | undefined): Result {
  const found = privateEndpoint(head.path);
  if (found === undefined) return { outcome: refuse(20) };
  const caller = authenticate(parts, head);
  if (!caller.ok) return { outcome: caller };
  const { key, fields } = caller;
  const { group, permission, handle } = found.endpoint;
  const { service, variant, startedAt, memory, userOrderIds, averages } = parts;
  const at = service.now();
  const entered = parts.privateRates.enter(group, key.accountId, at);
  if (!entered.ok) return { outcome: refuse(4) };
  const left = [
    group === "order" ? "Private-Order-Ratelimit-Remaining" : "Private-Ratelimit-Remaining",
    entered.left,
  ] as const;
  if (!key.permissions.includes(permission)) return { outcome: refuse(40), left };
  const call = {
    service,
    at,
    variant,
    startedAt,
    path: found.path,
    key,
    fields,
    memory,
    userOrderIds,
    averages,
    effect,
  };
  return { outcome: handle(call), left };
}

function replyOf({ outcome, left: [name, left] = ["", 0], isOld = false }: Result): Reply {
  const text = outcome.ok
    ? writtenJson({ result: "success", error_code: "0", ...outcome.body })
    : errorText(outcome.code, isOld);
  return textReply(200, "application/json; charset=utf-8", text, left > 0 ? [name, String(left)] : []);
}

function errorText(code: keyof typeof ERRORS, isOld = false): string {
  const [errorCode, message] = [String(code), ERRORS[code]];
  if (isOld) return writtenJson({ result: "error", errorCode, errorMsg: message });
  return writtenJson({ result: "error", error_code: errorCode, error_msg: message });
}

/** A fault of HTTP keeps its status; who is blocked is told so with status 200. */
function refusedByServer({ status }: Fault): Reply {
  const code = status === 429 || status === 418 ? 4 : status >= 500 ? 405 : 101;
  return textReply(code === 4 ? 200 : status, "application/json; charset=utf-8", errorText(code));
}
