/** The commands by which a person begins and looks whether all is well, and those about who is served over HTTP: tokens and tenants. */
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

export function addTokens(hoga: Command, run: Invocation): void {
  const tokens = hoga.command("tokens").description("who may call over HTTP, and what each may do");
  tokens
    .command("create")
    .description("make a token for one program or person; it is shown once")
    .argument("<name>", "what it is called in the list and the log, such as laptop")
    .option("--scopes <list>", "what it may do, with commas between; or all (default: market:read,account:read)")
    .option("--expires <time>", "hours or days, such as 12h or 30d; or never", "90d")
    .option("--tenant <name>", "served as this tenant, and as nobody else (default: as you)")
    .addOption(jsonOption())
    .action(async (name, options) => (await import("./commands/tokens.ts")).createToken(name, options, run));
  tokens
    .command("list")
    .description("list the tokens: what each may do, until when, and the hour in which it was last used")
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/tokens.ts")).listTokens(options, run));
  tokens
    .command("revoke")
    .description("end a token at once, with what it has open")
    .argument("<name>", "as hoga tokens list shows it")
    .addOption(jsonOption())
    .action(async (name, options) => (await import("./commands/tokens.ts")).revokeToken(name, options, run));
}

export function addTenants(hoga: Command, run: Invocation): void {
  const tenants = hoga
    .command("tenants")
    .description("who is served over HTTP beside you, each with an account of its own");
  const commands = () => import("./commands/tenants.ts");
  tenants
    .command("create")
    .description("make a tenant: its own store, policy, budgets and log")
    .argument("<name>", "a to z, digits and hyphens, such as alice; nobody else gets it ever")
    .option("--profile <name>", "the exchange it trades on, a profile of yours without a key", "paper")
    .addOption(jsonOption())
    .action(async (name, options) => (await commands()).createTenant(name, options, run));
  tenants
    .command("list")
    .description("list the tenants: by which profile each trades, and whether it has a key")
    .addOption(jsonOption())
    .action(async (options) => (await commands()).listTenants(options, run));
  tenants
    .command("key")
    .description("give a tenant its key at the exchange; asks for it on a terminal, or reads two lines from stdin")
    .argument("<name>", "as hoga tenants list shows it")
    .addOption(jsonOption())
    .action(async (name, options) => (await commands()).keyTenant(name, options, run));
  tenants
    .command("admit")
    .description("let somebody in as a tenant whom the authorization server of [http] knows")
    .argument("<name>", "as hoga tenants list shows it")
    .requiredOption("--subject <sub>", "what the authorization server calls them, letter by letter")
    .addOption(jsonOption())
    .action(async (name, options) => (await commands()).admitSubject(name, options, run));
  tenants
    .command("dismiss")
    .description("let them in no more, at once")
    .requiredOption("--subject <sub>", "as they were admitted")
    .addOption(jsonOption())
    .action(async (options) => (await commands()).dismissSubject(options, run));
  tenants
    .command("rotate")
    .description("seal all keys under the master key that is set now; the one before is HOGA_MASTER_KEY_OLD")
    .addOption(jsonOption())
    .action(async (options) => (await commands()).rotateKeys(options, run));
  tenants
    .command("remove")
    .description("end a tenant, with its key and tokens; refused while something of it is open or without an answer")
    .argument("<name>", "as hoga tenants list shows it")
    .addOption(jsonOption())
    .action(async (name, options) => (await commands()).removeTenant(name, options, run));
}

/** Holds the commands that serve, receive or set up for everybody. */
const FOR_ALL: readonly string[] = ["start", "serve", "service", "init"];

/** Whatever is done for a profile can be done for a tenant. */
export function takeTenants(hoga: Command, run: Invocation): void {
  for (const command of hoga.commands) {
    const hasProfile = command.options.some(({ long }) => long === "--profile");
    if (!hasProfile || FOR_ALL.includes(command.name())) continue;
    command.option("--tenant <name>", "for this tenant, by its own profile (default: for you)");
    // Which finds it among its own words.
    if (command.name() === "call") continue;
    command.hook("preAction", async () => {
      const { tenant } = command.opts<{ tenant?: string }>();
      if (tenant === undefined) return;
      const { nameTenant, resolveTenant } = await import("./composition/tenants.ts");
      await (command.name() === "halt" ? nameTenant : resolveTenant)(run, tenant);
    });
  }
}
