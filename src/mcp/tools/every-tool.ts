/** Every tool in the order it is listed: those of payments and remittances, which a profile has to name, after the others. */
import type { Desk, PlanDesk, TransferDesk } from "../../desk/index.ts";
import { MODULES, type Module } from "../person/module.ts";
import type { Tool } from "../tool/tool.ts";
import { TOOLS } from "./catalog.ts";
import { deskStatusAlone, getDeskStatus } from "./get-desk-status.ts";
import { TRANSFER_TOOLS } from "./transfer-catalog.ts";

/** Take risk away, and go before all others. Source: decision 0011. */
export const URGENT_TOOLS: readonly unknown[] = [
  ...["halt_trading", "cancel_order", "cancel_all_orders"],
  "cancel_remittance",
];

/** Names the modules of all of them. */
export const EVERY_MODULE: readonly Module[] = [...MODULES, "payment", "remittance"];

/** Stands for a desk that can do all that they need, where nothing is asked of it. */
export const EVERYTHING = { transfers: {} as TransferDesk, plans: {} as PlanDesk };

export const EVERY_TOOL: readonly Tool[] = [...TOOLS, ...TRANSFER_TOOLS];

/** Leaves out what this desk cannot do, and of the status what its profile has not. */
export function toolsOf({ transfers }: Pick<Desk, "transfers">, modules: readonly Module[]): readonly Tool[] {
  const tools = transfers === undefined ? TOOLS : EVERY_TOOL;
  return modules.includes("plans") ? tools : tools.map((tool) => (tool === getDeskStatus ? deskStatusAlone : tool));
}

/** Leaves out a module whose tools and resources this desk cannot serve. */
export function modulesOf({ plans }: Pick<Desk, "plans">, modules: readonly Module[]): readonly Module[] {
  return plans === undefined ? modules.filter((module) => module !== "plans") : modules;
}
