import { z } from "zod";
import { remittanceId } from "../input/transfer-fields.ts";
import { defineTool } from "../tool/tool.ts";
import { reportResult } from "../tool/transfer-shape.ts";
import { moved } from "../tool/transfer-text.ts";

export const cancelRemittance = defineTool({
  name: "cancel_remittance",
  title: "Take a remittance back (draft)",
  description:
    "Draft API. Takes a remittance back before it is sent. If the outcome is unknown, look with get_remittance.",
  module: "remittance",
  writes: { idempotent: true },
  input: z.strictObject({ remittance_id: remittanceId }),
  output: reportResult("remittance"),
  run: ({ remittance_id }, call) => moved(call, { kind: "cancel_remittance", remittance_id }),
});
