import { z } from "zod";
import { remittanceId, requireOneName, transferId } from "../input/transfer-fields.ts";
import { failedRead } from "../text/answer.ts";
import { defineTool } from "../tool/tool.ts";
import { viewResult } from "../tool/transfer-shape.ts";
import { lookedUp, nameOf, transfersOf } from "../tool/transfer-text.ts";

export const getRemittance = defineTool({
  name: "get_remittance",
  title: "One remittance (draft)",
  description:
    "Draft API. How a remittance stands, by remittance_id, or what became of a send or cancel, by transfer_id: " +
    "created, compliance_review, sent, completed; rejected, canceled, returned.",
  module: "remittance",
  input: z
    .strictObject({ remittance_id: remittanceId.optional(), transfer_id: transferId })
    .superRefine(requireOneName("remittance_id")),
  output: viewResult("remittance"),
  async run({ remittance_id, transfer_id }, { desk, listener }) {
    const found = await transfersOf(desk).remittance(nameOf(remittance_id, transfer_id), listener);
    return found.ok ? lookedUp(desk, found.value) : failedRead(desk, found.fault);
  },
});
