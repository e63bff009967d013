/** Every tool in the order it is listed: those of payments and remittances, which a profile has to name, after the others. */
import type { Tool } from "../tool/tool.ts";
import { TOOLS } from "./catalog.ts";
import { TRANSFER_TOOLS } from "./transfer-catalog.ts";

export const EVERY_TOOL: readonly Tool[] = [...TOOLS, ...TRANSFER_TOOLS];
