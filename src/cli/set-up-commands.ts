/** The commands by which a person begins, and looks whether all is well. */
import type { Command } from "commander";
import type { Invocation } from "./invocation.ts";
import { jsonOption, profileOption } from "./option.ts";

export function addSetUp(hoga: Command, run: Invocation): void {
  hoga
    .command("doctor")
    .description("look at everything that trading needs, say what is wrong and what to do; nothing is changed")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/doctor.ts")).doctor(options, run));
}
