/** What the parts that carry commands out have in common. */
import type { Command } from "../../model/index.ts";

export type CommandOf<T extends Command["type"]> = Extract<Command, { type: T }>;

/** To be called once nothing can refuse the command any more: the clock moves and the change counts. */
export type Begin = () => void;

export const DONE = { ok: true, kind: "done" } as const;
