/**
 * The `hoga` command, as a function. Each command loads its own code when it runs, so that `hoga serve` starts quickly.
 *
 * Entry points: `main`, and `execute` for the program itself.
 * Invariant: the process is read and changed through the given `Io` only, so that runs do not disturb each other.
 *
 * Source: commands.md#commands, commands.md#exit-codes.
 */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { withOwnScrubber } from "../config/index.ts";
import { EXIT, type ExitCode, UsageError } from "./failure.ts";
import { Invocation, type Io } from "./invocation.ts";
import { VERSION } from "./version.ts";

function port(text: string): number {
  if (!/^\d{1,5}$/.test(text) || Number(text) > 65_535)
    // not money: a port
    throw new InvalidArgumentError("write a port from 0 (any free one) to 65535");
  return Number(text); // not money: a port
}

function positive(text: string): number {
  const value = Number(text); // not money: a speed or seed
  if (!(Number.isFinite(value) && value > 0)) throw new InvalidArgumentError("write a number greater than 0");
  return value;
}

function whole(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError("write a whole number");
  return Number(text); // not money: a seed or count
}

function count(text: string): number {
  const value = whole(text);
  if (value === 0) throw new InvalidArgumentError("write a whole number from 1 on");
  return value;
}

const profileOption = (): Option => new Option("--profile <name>", "profile to use (default: HOGA_PROFILE, or paper)");
const jsonOption = (): Option => new Option("--json", "print the result as JSON, one line");

function program(run: Invocation): Command {
  const hoga = new Command("hoga")
    .description("Trading tools for AI assistants: an MCP server, an order desk, and an exchange to practise on.")
    .version(VERSION, "-v, --version")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => run.out.write(text), writeErr: (text) => run.out.writeError(text) })
    .showHelpAfterError("(hoga --help, or hoga COMMAND --help, shows how)")
    .exitOverride()
    .enablePositionalOptions();

  hoga
    .command("start")
    .description("run everything: the paper exchange, MCP over HTTP, and the page; prints how to connect an assistant")
    .addOption(profileOption())
    .option("--port <port>", "port of MCP and the page", port, 8421)
    .option("--exchange-port <port>", "port of the paper exchange, when this process hosts it", port, 8420)
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/start.ts")).start(options, run));

  hoga
    .command("serve")
    .description("MCP over stdio, as an assistant launches it; with --http over Streamable HTTP")
    .addOption(profileOption())
    .option("--http", "serve Streamable HTTP at /mcp instead of stdio")
    .option("--host <host>", "with --http: address to listen on", "127.0.0.1")
    .option("--port <port>", "with --http: port to listen on", port, 8421)
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/serve.ts")).serve(options, run));

  hoga
    .command("sandbox")
    .description("the exchange alone: prints its address and a ready-made key pair")
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .option("--port <port>", "port to listen on", port, 8420)
    .option("--admin-port <port>", "port of the admin interface, on this machine only (default: any free one)", port, 0)
    .option("--seed <n>", "seed of the market flow, for a new exchange", whole)
    .option("--speed <x>", "speed of the market flow; 1 is two steps a second", positive)
    .option("--data <dir>", "where the exchange is kept (default: the data directory)")
    .option("--no-market-maker", "no market flow: only orders that are sent")
    .option("--drafts", "serve the Payment and Remittance APIs too, which are drafts and may change", false)
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/sandbox.ts")).sandbox(options, run));

  hoga
    .command("call")
    .description("call one tool, through the same desk; arguments as JSON or as --field value")
    .usage("[--json] [--profile <name>] TOOL [JSON] [--field value …]")
    .argument("<tool>", "name of the tool; TOOL --help shows its fields")
    .argument("[arguments...]", "a JSON object, or --field value pairs")
    .addOption(profileOption())
    .addOption(jsonOption())
    .allowUnknownOption()
    .passThroughOptions()
    .addHelpText("after", "\nTools: hoga call list")
    .action(async (tool, rest, options) => (await import("./commands/call.ts")).call(tool, rest, options, run));

  addOrders(hoga, run);
  addApproval(hoga, run);
  addKillSwitch(hoga, run);
  addAudit(hoga, run);
  addWebhooks(hoga, run);
  return hoga;
}

function addOrders(hoga: Command, run: Invocation): void {
  hoga
    .command("orders")
    .description("list orders, newest first")
    .addOption(profileOption())
    .option("--symbol <symbol>", "one market only")
    .addOption(
      new Option("--state <state>", "which orders")
        .choices(["open", "filled", "canceled", "expired", "rejected", "closed", "all"])
        .default("open"),
    )
    .option("--limit <n>", "at most this many", count, 50)
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/orders.ts")).orders(options, run));
}

/** What only a person may do, with a PIN that only a person knows. */
function addApproval(hoga: Command, run: Invocation): void {
  hoga
    .command("pending")
    .description("list the orders, payments and remittances that wait for a person's approval")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/approval.ts")).pending(options, run));

  hoga
    .command("approve")
    .description("approve an order, payment or remittance that waits, and make it; asks for the PIN on the terminal")
    .argument("<id>", "its id or userref, as hoga pending shows it")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (id, options) => (await import("./commands/approval.ts")).approve(id, options, run));

  hoga
    .command("deny")
    .description("deny an order, payment or remittance that waits; nothing is sent")
    .argument("<id>", "its id or userref, as hoga pending shows it")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (id, options) => (await import("./commands/approval.ts")).deny(id, options, run));

  hoga
    .command("settle")
    .description(
      "say what became of an order, payment or remittance without an answer, after a look at the exchange; asks for the PIN",
    )
    .argument("<id>", "its id or userref")
    .addArgument(new Argument("<word>", "what the exchange shows").choices(["placed", "not-placed"]))
    .option("--order-id <id>", "placed: the order it became, where the exchange shows more than one")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (id, word, options) => (await import("./commands/settle.ts")).settle(id, word, options, run));

  hoga
    .command("pin")
    .description("set or change the PIN that approves orders and resumes trading; on a terminal")
    .addOption(profileOption())
    .action(async (options) => (await import("./commands/pin.ts")).pin(options, run));
}

function addKillSwitch(hoga: Command, run: Invocation): void {
  hoga
    .command("halt")
    .description("halt trading: no new order in any process, everything open is canceled and verified")
    // Nobody in a hurry is made to type it again: nothing is refused, and what was not understood is reported afterwards.
    .argument("[words...]", "what else is written is passed over")
    .option("--reason [text]", "why, for the log")
    .option("--profile [name]", "whose orders to cancel (default: HOGA_PROFILE, or paper)")
    .addOption(jsonOption())
    .allowUnknownOption()
    .action(async (words, options) => (await import("./commands/kill-switch.ts")).halt(words, options, run));

  hoga
    .command("resume")
    .description("resume trading after a halt; asks for the PIN on the terminal")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/kill-switch.ts")).resume(options, run));
}

function addAudit(hoga: Command, run: Invocation): void {
  hoga
    .command("audit")
    .description("the log of every step: show it, verify its chain, or export it")
    .argument("[action]", "show, verify or export", "show")
    .option("--limit <n>", "show: at most this many", count, 50)
    .option("--out <file>", "export: write to this new file instead of stdout")
    .option("--head <count:hash>", "verify: the log has to go on from this head, noted at an earlier export")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (action, options) => (await import("./commands/audit.ts")).audit(action, options, run));
}

function addWebhooks(hoga: Command, run: Invocation): void {
  hoga
    .command("webhooks")
    .description("what the exchange sends of its own accord")
    .command("listen")
    .description(
      "receive, verify and show webhooks, each event once; the secret is HOGA_WEBHOOK_SECRET or the profile's",
    )
    .option("--port <port>", "port to listen on", port, 8422)
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/webhooks.ts")).listen(options, run));
}

/**
 * One run beside others in a process.
 * @param argv the words after the program's name
 */
export async function main(argv: readonly string[], io: Io): Promise<ExitCode> {
  return withOwnScrubber(() => execute(new Invocation(argv, io)));
}

/** The same in a process of its own, which never forgets a secret. */
export async function execute(run: Invocation): Promise<ExitCode> {
  try {
    await program(run).parseAsync(run.argv, { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError)) run.endWithError(error);
    // Help and version end this way too. Anything else is a wrong use, which commander has already explained.
    else if (error.exitCode === 0) run.exitCode = EXIT.done;
    else {
      run.exitCode = EXIT.usage;
      run.reportJson(new UsageError(error.message.replace(/^error: /, ""), "Run the command with --help."));
    }
  }
  return run.exitCode;
}
