import { z } from "zod";
import { createOrderBody } from "../../contract/index.ts";
import type { ApprovalRequest, Desk, ExpectedCosts, Listener, PlaceRequest, WriteReport } from "../../desk/index.ts";
import { draftId, orderFields, orderRequest } from "../input/field.ts";
import { asked, type Person } from "../person/approval.ts";
import { placed } from "../text/write-text.ts";
import { closed, closedLike, errorWithProposals, maybe, orderReport, text, writeResult } from "../tool/result-shape.ts";
import { defineTool } from "../tool/tool.ts";

/** Either a draft alone, or a whole order; which of the two is decided after each field was checked. */
const input = z
  .strictObject({
    draft_id: draftId.describe("From preview_order; then no other field"),
    ...orderFields,
    symbol: orderFields.symbol.optional(),
    side: orderFields.side.optional(),
    type: orderFields.type.optional(),
  })
  .superRefine(({ draft_id, ...order }, context) => {
    if (draft_id !== undefined) {
      const extra = Object.entries(order).find(([, value]) => value !== undefined);
      const message = "a draft is placed exactly as previewed: send draft_id alone";
      if (extra !== undefined) context.addIssue({ code: "custom", path: [extra[0]], message, input: extra[1] });
      return;
    }
    const input = undefined;
    const { side, type } = orderFields;
    if (order.symbol === undefined)
      context.addIssue({ code: "invalid_type", expected: "string", path: ["symbol"], input });
    if (order.side === undefined)
      context.addIssue({ code: "invalid_value", values: side.options, path: ["side"], input });
    if (order.type === undefined)
      context.addIssue({ code: "invalid_value", values: type.options, path: ["type"], input });
  });

const approval = closed<Omit<ApprovalRequest, "replaces">>({
  intent_id: text,
  userref: text,
  order: closedLike(createOrderBody, "open"),
  value: text,
  costs: {
    ...closed<ExpectedCosts>({ taker_fee: text, maker_fee: text, total: maybe, proceeds: maybe, fee_currency: text }),
    type: ["object", "null"],
  },
  price_seen: maybe,
  why: text,
  asked_at: text,
  expires_at: text,
});

export const placeOrder = defineTool({
  name: "place_order",
  title: "Place an order",
  description:
    "Places one order, once: a draft_id, or the whole order. It takes base_volume or quote_amount, a limit " +
    "order also price. The user may be asked to approve it. If the outcome is unknown, never place it again: look with get_order.",
  module: "trade",
  writes: { idempotent: false },
  input,
  output: writeResult<Omit<WriteReport, "replaced">>(
    { ...orderReport, duplicate_of: text, sizing: text, approval, error: errorWithProposals },
    "state",
  ),
  async run({ draft_id, ...order }, { desk, person, listener }) {
    const request = draft_id === undefined ? wholeOrder(order) : { draft_id };
    const { answer } = person;
    if (answer !== undefined)
      return placed(desk, await desk.answerApproval({ ...answer, request }, listener), order.symbol);
    const report = await requested(desk, request, person, listener);
    return (await asked(desk, report, request, person)) ?? placed(desk, report, order.symbol);
  },
});

/** Asks for it by the call, or by the button of a ticket. */
function requested(
  desk: Desk,
  request: PlaceRequest,
  { session, view }: Person,
  listener: Listener,
): Promise<WriteReport> {
  if (view?.pressed === undefined || !("draft_id" in request)) return desk.place(request, session, listener);
  const { holder, pressed: ticket, mayApprove } = view;
  return desk.press({ ticket, request, holder, session, mayApprove }, listener);
}

/** `input` ensures that these three are there where no draft is. */
function wholeOrder(order: Omit<z.infer<typeof input>, "draft_id">): PlaceRequest {
  const { symbol = "", side = "buy", type = "limit", ...fields } = order;
  return orderRequest({ symbol, side, type, ...fields });
}
