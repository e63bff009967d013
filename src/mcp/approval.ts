/**
 * Owns the approval question that a person answers in the client: whether it can be asked, what it says, and what the answer is.
 *
 * Invariants: only a client that declared forms is asked; the question names every field of the order, so that nobody approves
 * what they did not read; an answer counts only with the seal of its question; only an explicit yes is a yes, and only an explicit no a no.
 */
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { quoted } from "../contract/index.ts";
import type { ApprovalRequest, ClientAnswer, Desk, WriteReport } from "../desk/index.ts";
import { badge } from "./answer.ts";

const QUESTION = "approval";
const answerContent = z.strictObject({ approve: z.boolean() });

/** What the client can do for a call that may need a person's approval. */
export interface Person {
  /** Whether the client can show a form to a person, and the answer would count. */
  readonly canBeAsked: boolean;
  /** The client's session; what it asks for, nobody approves in another. Absent where there is no client. */
  readonly session?: string;
  /** The answer, in the call that follows a question. */
  readonly answer?: Answer;
}

interface Answer {
  readonly seal: string;
  readonly said: ClientAnswer;
  /** Absent where every request is a session of its own: then the seal, which only this one was given, stands for it. */
  readonly session?: string;
}

export const NOBODY: Person = { canBeAsked: false };

/** What is known of the client of one connection. */
export interface ClientSession {
  readonly session: string;
  readonly environment: Desk["environment"];
}

export function personOf(context: ServerContext, server: McpServer, { session, environment }: ClientSession): Person {
  const { mcpReq } = context;
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  const declared = envelope?.[CLIENT_CAPABILITIES_META_KEY] ?? server.server.getClientCapabilities();
  const hasForms = takesForms((declared as { readonly elicitation?: unknown } | undefined)?.elicitation);
  // Whatever reaches a port of this machine could answer there, so for real money a form counts over stdio alone.
  const canBeAsked = hasForms && !(environment === "live" && context.http !== undefined);
  const { inputResponses } = mcpReq;
  if (inputResponses === undefined) return { canBeAsked, session };
  // Where nobody can be asked, an answer is not from a person.
  const state: unknown = canBeAsked ? mcpReq.requestState() : undefined;
  const answer = answerOf(inputResponses, typeof state === "string" ? state : "");
  const isOneCall = context.http !== undefined && envelope !== undefined;
  return { canBeAsked, session, answer: isOneCall ? answer : { ...answer, session } };
}

function answerOf(responses: Record<string, unknown>, seal: string): Answer {
  return { seal, said: saidIn(responses) };
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

/** How long a person may take; the client may time out earlier. */
const ANSWER_MAX_MS = 600_000;

/**
 * In the 2025 era the server asks by a request to the client. The SDK would do that too, but where the dialog fails its error
 * says nothing of the order, which still waits for approval.
 * @returns undefined in the later era, where the client asks and sends the answer with its next call
 * @throws when the call that the question belongs to has ended
 */
export async function askNow(context: ServerContext, request: InputRequiredResult): Promise<Answer | undefined> {
  const { mcpReq } = context;
  const form = request.inputRequests?.[QUESTION];
  if (mcpReq.envelope !== undefined || form?.method !== "elicitation/create") return undefined;
  const { requestState: seal = "" } = request;
  try {
    const said = await mcpReq.send({ ...form }, { timeout: ANSWER_MAX_MS, signal: mcpReq.signal });
    return answerOf({ [QUESTION]: said }, seal);
  } catch (error) {
    if (mcpReq.signal.aborted) throw error;
    return { seal, said: "unreadable" };
  }
}

/** A client that names only the mode with addresses cannot show a form. */
function takesForms(elicitation: unknown): boolean {
  if (typeof elicitation !== "object" || elicitation === null) return false;
  return "form" in elicitation || !("url" in elicitation);
}

/** Asks the person at the client to approve an order. */
export function question(desk: Desk, report: WriteReport, request: ApprovalRequest, seal: string): InputRequiredResult {
  const message = questionText(desk, report.account, request);
  return yesOrNo(message, seal, { title: "Place this order", description: "Yes places exactly this order, once." });
}

/** A question that a plain yes answers. */
export function yesOrNo(
  message: string,
  seal: string,
  yes: { readonly title: string; readonly description: string },
): InputRequiredResult {
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

/** Every field of the order, in words a person reads; also what a terminal shows before it asks for the PIN. */
export function questionText(desk: Desk, account: string, request: ApprovalRequest): string {
  const { order, value_krw, price_seen, why, expires_at, userref } = request;
  const size = order.volume === undefined ? `for ${order.amount ?? ""} KRW` : `${order.volume} coins`;
  const at = order.price === undefined ? "at the market price" : `at ${order.price} KRW per coin`;
  const how = [order.time_in_force ?? "GTC", ...(order.post_only === true ? ["post-only"] : [])].join(", ");
  return [
    `${badge(desk)} Approve this order of account ${quoted(account)}?`,
    `${order.side.toUpperCase()} ${order.symbol}, ${order.type}: ${size} ${at} (${how}).`,
    `It counts for ${value_krw} KRW. Price seen when it was asked for: ${price_seen ?? "none"}.`,
    ...(order.compliance === undefined ? [] : [`Compliance: ${JSON.stringify(order.compliance)}`]),
    `Why you are asked: ${why}. userref ${userref}; this ends at ${expires_at}.`,
  ].join("\n");
}
