/** Owns which tools and resources a server offers: by the modules of its profile, and by whether it may only read. */

/** Lists what is offered where nothing is named. */
export const MODULES = ["market", "account", "trade", "plans", "safety"] as const;
/** Payments and remittances have to be named. */
export type Module = (typeof MODULES)[number] | "payment" | "remittance";

/** Names what is offered in a module, or in every one where none is named. */
export interface Offered {
  readonly name: string;
  readonly module?: Module;
  /** Changes something at the venue. */
  readonly writes?: boolean;
}

/** Names in an answer what is no order: a plan by its own id, which says what it is, and a transfer. */
export function otherName(id: string): string {
  return `${id.startsWith("plan-") ? "plan_id" : "transfer_id"} ${id}`;
}

/** The kill switch only takes risk away: it is offered even where nothing else may be changed. */
const KILL_SWITCH = "halt_trading";

/** Source: decision 0011. */
export function isOffered(
  { name, module, writes = false }: Offered,
  modules: readonly Module[],
  readOnly = false,
): boolean {
  if (name === KILL_SWITCH) return modules.includes("safety") || modules.includes("trade");
  return (module === undefined || modules.includes(module)) && !(readOnly && writes);
}
