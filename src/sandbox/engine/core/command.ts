/** What every part that carries out commands needs: the type of a command, and how to accept or refuse it. */
import type { FaultCode } from "../../../contract/index.ts";
import type { Command, Refusal } from "../../model/index.ts";

export type CommandOf<T extends Command["type"]> = Extract<Command, { type: T }>;

/** Called once, after the last check of a command and before its first change: moves the clock and counts the change. */
export type Begin = () => void;

export const DONE = { ok: true, kind: "done" } as const;

export function refusal(code: FaultCode, message: string, field?: string): Refusal {
  return { ok: false, code, message, field };
}

export const badArgument = (field: string, message: string): Refusal =>
  refusal("EGeneral:Invalid arguments", message, field);
