import { z } from "zod";
import { given } from "../input/field.ts";
import { line, quoteId } from "../input/transfer-fields.ts";
import { defineTool } from "../tool/tool.ts";
import { reportResult } from "../tool/transfer-shape.ts";
import { moved } from "../tool/transfer-text.ts";

export const sendRemittance = defineTool({
  name: "send_remittance",
  title: "Send a remittance (draft)",
  description:
    "Draft API. Sends what was quoted abroad, once. The travel rule needs every field of the beneficiary, originator_vasp_id (or the profile's) and " +
    "purpose_code: ask the user, never make them up. A person is asked to approve it unless the policy says otherwise. If the outcome is unknown, never " +
    "request it again: look with get_remittance.",
  module: "remittance",
  writes: { idempotent: true },
  input: z.strictObject({
    quote_id: quoteId,
    beneficiary: z.strictObject({ name: line, account: line, bank_code: line, country: line }).optional(),
    originator_vasp_id: line,
    beneficiary_vasp_id: line,
    purpose_code: line,
  }),
  output: reportResult("remittance"),
  run: ({ beneficiary, ...fields }, call) => {
    const payee = beneficiary === undefined ? {} : { beneficiary: given(beneficiary) };
    return moved(call, { kind: "send_remittance", ...given(fields), ...payee });
  },
});
