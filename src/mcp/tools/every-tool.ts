/** Every tool in the order it is listed: those of payments and remittances, which a profile has to name, after the others. */
import type { Desk } from "../../desk/index.ts";
import type { Tool } from "../tool/tool.ts";
import { TOOLS } from "./catalog.ts";
import { TRANSFER_TOOLS } from "./transfer-catalog.ts";

/** Take risk away, and go before all others. Source: decision 0011. */
export const URGENT_TOOLS: readonly unknown[] = [
  ...["halt_trading", "cancel_order", "cancel_all_orders"],
  "cancel_remittance",
];

export const EVERY_TOOL: readonly Tool[] = [...TOOLS, ...TRANSFER_TOOLS];

/** Leaves out what this desk cannot do. */
export function toolsOf({ transfers }: Pick<Desk, "transfers">): readonly Tool[] {
  return transfers === undefined ? TOOLS : EVERY_TOOL;
}
