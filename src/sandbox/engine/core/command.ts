/** What the parts that carry commands out have in common. */
import type { FaultCode } from "../../../contract/index.ts";
import type { Command, Refusal } from "../../model/index.ts";

export type CommandOf<T extends Command["type"]> = Extract<Command, { type: T }>;

/** To be called once nothing can refuse the command any more: the clock moves and the change counts. */
export type Begin = () => void;

export const DONE = { ok: true, kind: "done" } as const;

export function refusal(code: FaultCode, message: string, field?: string): Refusal {
  return { ok: false, code, message, ...(field === undefined ? {} : { field }) };
}

export const badArgument = (field: string, message: string): Refusal =>
  refusal("EGeneral:Invalid arguments", message, field);
