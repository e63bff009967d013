/** What a look at the parts says of one: in English, for programs and people alike. */
import type { Fault } from "../../contract/index.ts";
import { isExplained } from "../failure.ts";

export interface Check {
  readonly name: string;
  readonly ok: boolean;
  /** hoga does not trade while it is not ok; else it is worth knowing. */
  readonly required: boolean;
  readonly detail: string;
  /** What to do; null where there is nothing. */
  readonly fix: string | null;
}

export function fine(name: string, detail: string): Check {
  return { name, ok: true, required: true, detail, fix: null };
}

/** Trading goes on with it. */
export function warned(name: string, detail: string, fix: string): Check {
  return { name, ok: false, required: false, detail, fix };
}

export function wrong(name: string, detail: string, fix: string): Check {
  return { name, ok: false, required: true, detail, fix };
}

export function wrongBy(name: string, { message, nextAction }: Pick<Fault, "message" | "nextAction">): Check {
  return wrong(name, message, nextAction);
}

/** An error that is for the person is what the check found. @throws any other */
export async function explained<T>(name: string, step: () => T | Promise<T>): Promise<T | Check> {
  try {
    return await step();
  } catch (error) {
    if (!isExplained(error)) throw error;
    return wrong(name, error.message, error.fix);
  }
}

export function isCheck(found: unknown): found is Check {
  return typeof found === "object" && found !== null && "required" in found && "fix" in found;
}
