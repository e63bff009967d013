/**
 * Owns the schema of an error as the service answers it. Apart from the catalogue of faults, which is needed without schemas.
 *
 * Source: service.md#error-body.
 */
import { z } from "zod";
import { orderState } from "./wire.ts";

/** Error body of every `/v1/` answer that is not 2xx. */
export const errorBody = z
  .object({
    error: z.object({
      code: z.string().meta({ examples: ["EOrder:Insufficient funds"] }),
      message: z.string(),
      field: z.string().optional(),
      retry_after_ms: z.int().nonnegative().optional(),
      state: orderState.optional().meta({ description: "Final state, with EOrder:Order already closed." }),
      user_action_url: z.string().optional().meta({ description: "A page the user has to visit." }),
      request_id: z.string(),
    }),
  })
  .meta({ id: "Error" });

export type ErrorBody = z.infer<typeof errorBody>;
