import { z } from "zod";
import { quoted } from "../../contract/index.ts";
import type { DeskStatus } from "../../desk/index.ts";
import { answered, errorText, lines } from "../answer.ts";
import { accountResult, all, flag, listOf, record, text, texts } from "../result-shape.ts";
import { defineTool } from "../tool.ts";
import { warned } from "../write-text.ts";

export const getDeskStatus = defineTool({
  name: "get_desk_status",
  title: "Desk status",
  description: "Paper or live, which account, whether trading is possible, and orders whose outcome is not known yet.",
  module: "safety",
  input: z.strictObject({}),
  output: accountResult({
    profile: text,
    venue: text,
    can_trade: flag,
    clock_offset_ms: { type: ["number", "null"] },
    unresolved: listOf(record(all(text, "intent_id", "userref", "symbol", "state", "since"))),
    warnings: texts,
  }),
  async run(_, { desk }) {
    const status = await desk.status();
    return answered(desk, statusText(status), status, status.error !== undefined);
  },
});

function statusText(status: DeskStatus): string {
  const money = status.environment === "live" ? "real money" : "paper money";
  const offset = status.clock_offset_ms === null ? "" : ` Clock offset ${status.clock_offset_ms} ms.`;
  const trading = status.can_trade ? "Trading is possible" : "Trading is not possible";
  const why = status.error === undefined ? "" : ` ${errorText(status.error)}`;
  return lines(
    `Profile ${status.profile}, account ${quoted(status.account)}, ${money}. Exchange ${status.venue}. ${trading}.${offset}${why}`,
    ...status.unresolved.map(
      ({ userref, symbol, since }) =>
        `- Outcome unknown: userref ${userref}, ${symbol}, since ${since}; look with get_order.`,
    ),
    ...warned(status.warnings),
  );
}
