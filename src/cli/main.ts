/**
 * The `hoga` command. Each command loads its own code when it runs, so that `hoga serve` starts quickly.
 *
 * Source: surface, "Command line".
 */
import { Argument, Command, CommanderError, InvalidArgumentError, Option } from "commander";
import { EXIT, errorReport, fail, UsageError } from "./failure.ts";
import { hasPrinted, printJson, writeError, writeOut } from "./output.ts";
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

function program(): Command {
  const hoga = new Command("hoga")
    .description("Trading tools for AI assistants: an MCP server, an order desk, and an exchange to practise on.")
    .version(VERSION, "-v, --version")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut, writeErr: writeError })
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
    .action(async (options) => (await import("./commands/start.ts")).start(options));

  hoga
    .command("serve")
    .description("MCP over stdio, as an assistant launches it; with --http over Streamable HTTP")
    .addOption(profileOption())
    .option("--http", "serve Streamable HTTP at /mcp instead of stdio")
    .option("--host <host>", "with --http: address to listen on", "127.0.0.1")
    .option("--port <port>", "with --http: port to listen on", port, 8421)
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/serve.ts")).serve(options));

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
    .action(async (options) => (await import("./commands/sandbox.ts")).sandbox(options));

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
    .action(async (tool, rest, options) => (await import("./commands/call.ts")).call(tool, rest, options));

  addOrders(hoga);
  addApproval(hoga);
  addBrake(hoga);
  addAudit(hoga);
  addWebhooks(hoga);
  return hoga;
}

function addOrders(hoga: Command): void {
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
    .action(async (options) => (await import("./commands/orders.ts")).orders(options));
}

/** What only a person does, with a PIN that only a person knows. */
function addApproval(hoga: Command): void {
  hoga
    .command("pending")
    .description("list the orders, payments and remittances that wait for a person's approval")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/approval.ts")).pending(options));

  hoga
    .command("approve")
    .description("approve an order, payment or remittance that waits, and make it; asks for the PIN on the terminal")
    .argument("<id>", "its id or userref, as hoga pending shows it")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (id, options) => (await import("./commands/approval.ts")).approve(id, options));

  hoga
    .command("deny")
    .description("deny an order, payment or remittance that waits; nothing is sent")
    .argument("<id>", "its id or userref, as hoga pending shows it")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (id, options) => (await import("./commands/approval.ts")).deny(id, options));

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
    .action(async (id, word, options) => (await import("./commands/settle.ts")).settle(id, word, options));

  hoga
    .command("pin")
    .description("set or change the PIN that approves orders and lifts the brake; on a terminal")
    .addOption(profileOption())
    .action(async (options) => (await import("./commands/pin.ts")).pin(options));
}

function addBrake(hoga: Command): void {
  hoga
    .command("halt")
    .description("the brake: no new order in any process, everything open is canceled and verified")
    // Whoever is in a hurry is not asked to type it better: nothing is refused, and what is not understood is said afterwards.
    .argument("[words...]", "what else is written is passed over")
    .option("--reason [text]", "why, for the log")
    .option("--profile [name]", "whose orders to cancel (default: HOGA_PROFILE, or paper)")
    .addOption(jsonOption())
    .allowUnknownOption()
    .action(async (words, options) => (await import("./commands/brake.ts")).halt(words, options));

  hoga
    .command("resume")
    .description("lift the brake; asks for the PIN on the terminal")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/brake.ts")).resume(options));
}

function addAudit(hoga: Command): void {
  hoga
    .command("audit")
    .description("the log of every step: show it, verify its chain, or export it")
    .argument("[action]", "show, verify or export", "show")
    .option("--limit <n>", "show: at most this many", count, 50)
    .option("--out <file>", "export: write to this new file instead of stdout")
    .option("--head <count:hash>", "verify: the log has to go on from this head, noted at an earlier export")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (action, options) => (await import("./commands/audit.ts")).audit(action, options));
}

function addWebhooks(hoga: Command): void {
  hoga
    .command("webhooks")
    .description("what the exchange tells by itself")
    .command("listen")
    .description(
      "receive, verify and show webhooks, each event once; the secret is HOGA_WEBHOOK_SECRET or the profile's",
    )
    .option("--port <port>", "port to listen on", port, 8422)
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/webhooks.ts")).listen(options));
}

async function main(): Promise<void> {
  try {
    await program().parseAsync();
  } catch (error) {
    if (error instanceof CommanderError) {
      // Help and version end this way too; anything else is a wrong use, which commander has already explained.
      process.exitCode = error.exitCode === 0 ? EXIT.done : EXIT.usage;
      if (error.exitCode !== 0 && wantsJson())
        printJson(errorReport(new UsageError(error.message.replace(/^error: /, ""), "Run the command with --help.")));
      return;
    }
    failed(error);
  }
}

function failed(error: unknown): void {
  if (wantsJson()) printJson(errorReport(error));
  fail(error);
}

/** Whether a program waits for a line on our stdout. Over stdio it belongs to the protocol. */
function wantsJson(): boolean {
  const [command, ...rest] = process.argv.slice(2);
  return !hasPrinted() && rest.includes("--json") && (command !== "serve" || rest.includes("--http"));
}

// `hoga orders | head` closes our stdout early. That is no failure, and no reason to leave an order in the middle either.
for (const stream of [process.stdout, process.stderr])
  stream.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code !== "EPIPE") throw error;
  });

// Node's own last words would be the whole error as it is. Whoever threw it is gone, so this process ends as well.
process.on("uncaughtException", (error) => {
  failed(error);
  process.exit();
});

await main();
