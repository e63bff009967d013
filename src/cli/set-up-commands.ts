/** The commands by which a person begins, and looks whether all is well. */
import { Argument, type Command } from "commander";
import type { Invocation } from "./invocation.ts";
import { jsonOption, profileOption } from "./option.ts";

export function addSetUp(hoga: Command, run: Invocation): void {
  hoga
    .command("init")
    .description("begin: write hoga into the configuration of the assistants that are here, after showing the change")
    .addOption(profileOption())
    .option("--client <name>", "one assistant only: claude-desktop, claude-code, cursor, vscode, codex or gemini")
    .option("--print", "only show what would be written; asks nothing")
    .option("--undo", "put back what was there before, where nothing else has changed it since")
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/init.ts")).init(options, run));

  hoga
    .command("doctor")
    .description("look at everything that trading needs, say what is wrong and what to do; nothing is changed")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/doctor.ts")).doctor(options, run));

  hoga
    .command("completion")
    .description("print what a shell needs to complete commands, options, markets, profiles and ids as you type")
    .addArgument(new Argument("<shell>", "whose").choices(["bash", "zsh", "fish", "powershell"]))
    .action(async (shell) => (await import("./commands/completion.ts")).completion(shell, run));

  hoga
    .command("complete", { hidden: true })
    .option("--word <text>", "what is typed of the next word", "")
    .argument("[before...]")
    .action(async (before, { word }) => (await import("./commands/completion.ts")).complete(hoga, before, word, run));
}
