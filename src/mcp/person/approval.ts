/**
 * Owns the approval question that a person answers in the client: whether it can be asked, what it says, and what the answer is.
 *
 * Invariants: only a client that declared forms is asked, or one that opens addresses is sent to the console's page, where what the client says is no answer; the question names every field of the order, so that nobody approves
 * what they did not read; an answer counts only with the seal of its question; only an explicit yes is a yes, and only an explicit no a no.
 */
import { randomUUID } from "node:crypto";
import {
  acceptedContent,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { defined, quoted, type Result } from "../../contract/index.ts";
import { price as decimalPrice, formatPercent, INVISIBLE, notional } from "../../decimal/index.ts";
import type {
  ApprovalAnswer,
  ApprovalOutlook,
  ApprovalRequest,
  AskedBy,
  ClientAnswer,
  Desk,
  ExpectedCosts,
  PendingOrder,
  TicketHolder,
  WriteReport,
} from "../../desk/index.ts";
import { assetsOf, orderWords, shortened, titleOf, type Words } from "../../words/index.ts";
import { showsViews } from "./view.ts";
import { capabilitiesOf, ticketIn } from "./views.ts";
import { isWithdrawn } from "./withdrawal.ts";

const QUESTION = "approval";
const answerContent = z.strictObject({ approve: z.boolean() });

export interface Person {
  /** Tells whether the client can show a form to a person, and the answer would count. */
  readonly canBeAsked: boolean;
  /** Tells whether the client can send a person to the console's page. */
  readonly canBeSent: boolean;
  /** The client's session; what it asks for, nobody approves in another. Absent where there is no client. */
  readonly session?: string;
  /** The answer, in the call that follows a question. */
  readonly answer?: Answer;
  /** In which they are spoken to. */
  readonly words: Words;
  /** Names the client's views, where it shows them. */
  readonly view?: ViewClient;
}

/** A client that shows the order ticket beside a preview. */
export interface ViewClient {
  /** For whom a preview makes a ticket. */
  readonly holder: TicketHolder;
  /** Marks a call that the ticket's button made. */
  readonly pressed?: string;
  /** Tells whether its press may be a person's yes: for practice alone, as a client could make the call by itself. */
  readonly mayApprove: boolean;
}

interface Answer {
  readonly seal: string;
  readonly said: ClientAnswer;
  /** Absent of an answer in the same call. */
  readonly session?: string;
}

export interface ClientSession {
  readonly session: string;
  /** Tells whether it is known that no real money is traded. */
  readonly isPractice: () => boolean;
  readonly words: Words;
}

export function personOf(
  context: ServerContext,
  server: McpServer,
  { session, isPractice, words }: ClientSession,
): Person {
  const { mcpReq } = context;
  const declared = capabilitiesOf(context, server);
  const view = showsViews(declared) && {
    holder: { session },
    ...defined({ pressed: ticketIn(context) }),
    mayApprove: isPractice(),
  };
  const asker = { session, words, ...(view && { view }) };
  const { elicitation } = (declared ?? {}) as { readonly elicitation?: unknown };
  const hasForms = takesForms(elicitation);
  // Whatever reaches a port of this machine could answer there, so for real money a form counts over stdio alone.
  const canBeAsked = hasForms && (context.http === undefined || isPractice());
  const canBeSent = opensPages(elicitation);
  const { inputResponses } = mcpReq;
  if (inputResponses === undefined) return { canBeAsked, canBeSent, ...asker };
  const state: unknown = canBeAsked || canBeSent ? mcpReq.requestState() : undefined;
  const seal = typeof state === "string" ? state : "";
  // Where nobody can be asked, an answer is not from a person.
  const answer: Answer = { seal, said: canBeAsked ? saidIn(inputResponses) : "sent", session };
  return { canBeAsked, canBeSent, ...asker, answer };
}

/** To decline a question is to say no; to close it is to say nothing. */
function saidIn(responses: Record<string, unknown>): ClientAnswer {
  const view = inputResponse(responses, QUESTION);
  if (view.kind !== "elicit") return "unreadable";
  switch (view.action) {
    case "decline":
      return "no";
    case "cancel":
      return "dismissed";
    case "accept": {
      const approve = acceptedContent(responses, QUESTION, answerContent)?.approve;
      return approve === undefined ? "unreadable" : approve ? "yes" : "no";
    }
    default:
      // Whatever else a client sends, as nobody has checked it.
      view.action satisfies never;
      return "unreadable";
  }
}

/** Bounds how long a person may take; the client may time out earlier. */
const ANSWER_MAX_MS = 600_000;

/**
 * In the 2025 era the server asks by a request to the client. The SDK would do that too, but where the dialog fails its error
 * says nothing of the order, which still waits for approval.
 * @returns undefined in the later era, where the client asks and sends the answer with its next call
 * @throws when the connection of the call that the question belongs to has ended
 */
export async function askNow(context: ServerContext, request: InputRequiredResult): Promise<Answer | undefined> {
  const { mcpReq } = context;
  const question = request.inputRequests?.[QUESTION];
  if (mcpReq.envelope !== undefined || question?.method !== "elicitation/create") return undefined;
  const { requestState: seal = "" } = request;
  // In this era a question with an address has an id.
  const named = "url" in question.params ? { ...question.params, elicitationId: randomUUID() } : question.params;
  try {
    const sent = { ...question, params: named };
    const said = await mcpReq.send(sent, { timeout: ANSWER_MAX_MS, signal: mcpReq.signal });
    return { seal, said: saidIn({ [QUESTION]: said }) };
  } catch (error) {
    if (isWithdrawn(context)) return { seal, said: "withdrawn" };
    if (mcpReq.signal.aborted) throw error;
    return { seal, said: "unreadable" };
  }
}

/** A client that names only the mode with addresses cannot show a form. */
function takesForms(elicitation: unknown): boolean {
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return "form" in elicitation || !("url" in elicitation);
}

/** A client has to name the mode with addresses. */
function opensPages(elicitation: unknown): boolean {
  return typeof elicitation === "object" && elicitation !== null && "url" in elicitation;
}

/** Seals a question that is asked so, or refuses where no answer would count. */
export type SealQuestion = (asked: AskedBy) => Promise<Result<string>>;

/**
 * The question as this client can put it: in its form, or as the address of the console's page, where the answer is given.
 * @param id of what waits
 * @returns undefined where neither would bring an answer
 */
export async function questionOf(
  desk: Desk,
  { canBeAsked, canBeSent, words }: Person,
  { id, message, yes, seal }: { id: string; message: string; yes: YesWords; seal: SealQuestion },
): Promise<InputRequiredResult | undefined> {
  const inForm = canBeAsked ? await seal("form") : undefined;
  if (inForm?.ok === true) return yesOrNo(message, inForm.value, yes);
  const url = canBeSent ? desk.approvalPage(id) : undefined;
  const onPage = url === undefined ? undefined : await seal("page");
  if (url === undefined || onPage?.ok !== true) return undefined;
  const told = `${message}\n${words.say("approval.on_page")}`;
  return inputRequired({
    requestState: onPage.value,
    inputRequests: { [QUESTION]: inputRequired.elicitUrl({ message: told, url }) },
  });
}

/**
 * Asks the person at the client to approve what waits.
 * @param request of the call, which has to come back with the answer
 * @returns undefined where nothing waits, or where no answer of this client would count (by the policy, or as another session asked for it)
 */
export async function asked(
  desk: Desk,
  { approval, error, account, warnings }: WriteReport,
  request: ApprovalAnswer["request"],
  person: Person,
): Promise<InputRequiredResult | undefined> {
  if (approval === undefined || error !== undefined || !(person.canBeAsked || person.canBeSent)) return undefined;
  const { words, session } = person;
  const { intent_id: id } = approval;
  const pending = await desk.pending();
  // What is shown is what its digest stands for.
  const view = pending.ok && pending.value.pending.find(({ intent_id }) => intent_id === id);
  if (!view) return undefined;
  const since = warnings.filter((text) => !view.warnings.includes(text));
  const now = await desk.outlook(view);
  const known = since.map((text) => words.say("told.warning", { text: words.told(text) }));
  const message = [questionText(desk, account, view, words, now), ...known].join("\n");
  const yes = { title: words.say("approval.yes"), description: words.say("approval.yes_does") };
  const seal: SealQuestion = (by) => desk.sealApproval(id, view.digest, request, session, by);
  return questionOf(desk, person, { id, message, yes, seal });
}

interface YesWords {
  readonly title: string;
  readonly description: string;
}

/** A question that a plain yes answers. */
function yesOrNo(message: string, seal: string, yes: YesWords): InputRequiredResult {
  return inputRequired({
    requestState: seal,
    inputRequests: {
      [QUESTION]: inputRequired.elicit({
        message,
        requestedSchema: {
          type: "object",
          properties: {
            approve: { type: "boolean", ...yes, default: false },
          },
          required: ["approve"],
        },
      }),
    },
  });
}

/**
 * The sheet: every field of the order in words that a person reads, what matters first, and the market as it is now. One for the client's form, the
 * terminal before it asks for the PIN, and the console.
 * @param now undefined where it is not known
 */
export function questionText(
  desk: Desk,
  account: string,
  request: Omit<PendingOrder, "digest">,
  words: Words,
  now: ApprovalOutlook | undefined,
): string {
  const { order, replaces, value, costs, why, expires_at, userref } = request;
  const { say, amount } = words;
  const stake = say(desk.environment === "live" ? "approval.stake_live" : "approval.stake_sandbox");
  return [
    say("approval.question", { money: say(moneyAtStake(desk)) }),
    orderWords(order, words),
    ...(replaces === undefined ? [] : [replacesText(replaces, order.symbol, words)]),
    say("approval.value", { value: amount(value, desk.unit) }),
    ...(costs === null ? [] : [feeText(costs, words)]),
    priceText(request, now?.price ?? null, words),
    say("approval.account", {
      exchange: titleOf(desk.card, words),
      account: quoted(account),
      profile: desk.profile,
      stake,
    }),
    say("approval.ends", { yes: say("approval.yes_does"), ends: words.when(expires_at) }),
    ...(order.compliance === undefined
      ? []
      : [say("approval.compliance", { fields: JSON.stringify(order.compliance).replace(INVISIBLE, " ") })]),
    say("approval.why", { why: words.reason(why), userref }),
    ...request.warnings.map((text) => say("approval.warned", { text: words.told(text) })),
  ].join("\n");
}

/** The name of the mark that says so, at the head of what a person reads. */
export function moneyAtStake({ environment }: Desk): "money.live" | "money.sandbox" {
  return environment === "live" ? "money.live" : "money.sandbox";
}

/** From what to what: the order above stands in the place of the one named here. */
function replacesText(
  { order_id, price, open_volume }: NonNullable<ApprovalRequest["replaces"]>,
  symbol: string,
  { say, amount }: Words,
): string {
  const { base, quote } = assetsOf(symbol);
  return say("approval.replaces", {
    id: order_id,
    size: amount(open_volume, base),
    price: amount(price, quote),
  });
}

/** The market's price, and how far the order's own is from it. Where that of now is not known, the one that was seen, with its time. */
function priceText({ order, price_seen, asked_at }: ApprovalRequest, now: string | null, words: Words): string {
  const { say, amount } = words;
  const { quote } = assetsOf(order.symbol);
  const known = now ?? price_seen;
  if (known === null) return say("approval.unseen");
  const price = amount(known, quote);
  const isMoved = price_seen !== null && price_seen !== now;
  const seen = say("approval.seen", { price, time: words.when(asked_at) });
  const told =
    now === null
      ? seen
      : isMoved
        ? say("approval.now_moved", { price, seen: amount(price_seen, quote) })
        : say("approval.now", { price });
  const market = decimalPrice(known);
  const own = order.price === undefined ? market : decimalPrice(order.price);
  if (market.isZero() || own.eq(market)) return told;
  const isAbove = own.gt(market);
  const distance = formatPercent((isAbove ? own.minus(market) : market.minus(own)).ratioTo(market), 2);
  return `${told} ${say(isAbove ? "approval.above" : "approval.below", { distance })}`;
}

/** Tells what it costs with its fees, or brings after them. */
function feeText({ taker_fee, maker_fee, total, proceeds, fee_currency }: ExpectedCosts, words: Words): string {
  const { say } = words;
  const shown = (sum: string): string => words.amount(shortened(sum, fee_currency), fee_currency);
  const whole = notional(total ?? proceeds ?? "0");
  if (whole.isZero()) return say("approval.nothing_executes");
  const [taker, maker] = [notional(taker_fee), notional(maker_fee)];
  const fee = shown(taker.plus(maker).toString());
  const parts =
    taker.isZero() || maker.isZero()
      ? say(taker.isZero() ? "approval.maker" : "approval.taker")
      : say("approval.both_fees", { taker: shown(taker_fee), maker: shown(maker_fee) });
  return say(total === null ? "approval.fee_sell" : "approval.fee_buy", { fee, parts, sum: shown(whole.toString()) });
}
