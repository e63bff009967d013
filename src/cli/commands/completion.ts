/** `hoga completion SHELL`, and `hoga complete`, which the shell asks as somebody types. */
import type { Command } from "commander";
import { candidatesFor } from "../completion/candidates.ts";
import { type Shell, scriptFor } from "../completion/scripts.ts";
import { valuesIn } from "../completion/values.ts";
import type { Invocation } from "../invocation.ts";

export function completion(shell: Shell, { out }: Invocation): void {
  out.write(scriptFor(shell));
}

/** Says nothing where something is wrong: who types is told when the command runs. */
export async function complete(
  program: Command,
  previous: readonly string[],
  word: string,
  { out, home }: Invocation,
): Promise<void> {
  const found = await candidatesFor(program, previous, word, valuesIn(home)).catch(() => []);
  for (const { word: name, about } of found) out.write(`${name}\t${about.replaceAll(/\s+/g, " ").slice(0, 80)}\n`);
}
