/** Owns the scalar shapes of the alias endpoints' answers. At run time not part of index.ts, as answer.ts. */
import { z } from "zod";

/** An amount, price or quantity in answers. */
export const aliasDecimal = z
  .string()
  .regex(/^\d{1,27}\.\d{8}$/)
  .meta({ id: "AliasDecimal", examples: ["0.01500000"] });
export const signedAliasDecimal = z
  .string()
  .regex(/^-?\d{1,27}\.\d{8}$/)
  .meta({ id: "SignedAliasDecimal" });
/** A market in answers: both codes without a sign between them. */
export const aliasSymbol = z
  .string()
  .regex(/^[A-Z0-9]{2,30}$/)
  .meta({ id: "AliasSymbol", examples: ["BTCKRW"] });
export const aliasAsset = z.string().regex(/^[A-Z0-9]{1,15}$/);
export const aliasTime = z.int().nonnegative();
/** Number of a trade. */
export const aliasTradeId = z.int().nonnegative();
