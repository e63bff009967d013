/**
 * The `hoga` command, as a function. Each command loads its own code when it runs, so that `hoga serve` starts quickly.
 *
 * Entry points: `main`, and `execute` for the program itself.
 * Invariant: the process is read and changed through the given `Io` only, so that runs do not disturb each other.
 *
 * Source: commands.md#commands, commands.md#exit-codes.
 */
import { Argument, Command, CommanderError, Option } from "commander";
import { withOwnScrubber } from "../config/index.ts";
import { defined } from "../contract/index.ts";
import { addSetUp, addTenants, addTokens, takeTenants } from "./entrance-commands.ts";
import { EXIT, type ExitCode, UsageError } from "./failure.ts";
import { Invocation, type Io } from "./invocation.ts";
import { count, jsonOption, port, positive, profileOption, whole } from "./option.ts";
import { addPlans } from "./plan-commands.ts";
import { VERSION } from "./version.ts";

const MARKET = "market, such as BTC/KRW";
const WITHOUT_SETTINGS = ["connect", "complete", "completion"];

function program(run: Invocation): Command {
  const hoga = new Command("hoga")
    .description("Trading tools for AI assistants: an MCP server, an order desk, and an exchange to practise on.")
    .version(VERSION, "-v, --version")
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeOut: (text) => run.out.write(text), writeErr: (text) => run.out.writeError(text) })
    .showHelpAfterError("(hoga --help, or hoga COMMAND --help, shows how)")
    .exitOverride()
    .enablePositionalOptions()
    .hook("preAction", async (_, command) => {
      // What connects to a hoga elsewhere has no settings here, and who types is not told of them.
      if (!WITHOUT_SETTINGS.includes(command.name())) await (await import("./settings-reader.ts")).readSettings(run);
    });

  addServing(hoga, run);

  addSetUp(hoga, run);
  addExchanges(hoga, run);

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
    .addHelpText(
      "after",
      "\nTools: hoga call list. Of a tool that draws a picture, --chart FILE writes it to a new file.",
    )
    .action(async (tool, rest, options) => (await import("./commands/call.ts")).call(tool, rest, options, run));

  addHistory(hoga, run);
  addMarket(hoga, run);
  addPortfolio(hoga, run);
  addPlans(hoga, run);
  addApproval(hoga, run);
  addKillSwitch(hoga, run);
  addAudit(hoga, run);
  addStore(hoga, run);
  addWebhooks(hoga, run);
  addService(hoga, run);
  addPasskeys(hoga, run);
  addTokens(hoga, run);
  addTenants(hoga, run);
  takeTenants(hoga, run);
  return hoga;
}

function showTokenOption(): Option {
  return new Option(
    "--show-token",
    "print the token and a link to the page also where stdout is no terminal, and with --json",
  );
}

function addServing(hoga: Command, run: Invocation): void {
  hoga
    .command("start")
    .description("run everything: the paper exchange, MCP over HTTP, and the page; prints how to connect an assistant")
    .addOption(profileOption())
    .option("--port <port>", "port of MCP and the page", port, 8421)
    .option("--exchange-port <port>", "port of the paper exchange, when this process hosts it", port, 8420)
    .addOption(showTokenOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/start.ts")).start(options, run));

  hoga
    .command("serve")
    .description("MCP over stdio, as an assistant launches it; with --http over Streamable HTTP")
    .addOption(profileOption())
    .option("--http", "serve Streamable HTTP at /mcp instead of stdio")
    .option("--host <host>", "with --http: address to listen on", "127.0.0.1")
    .option("--port <port>", "with --http: port to listen on", port, 8421)
    .addOption(showTokenOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/serve.ts")).serve(options, run));

  hoga
    .command("connect")
    .description("the stdio end of a hoga that runs elsewhere, as an assistant launches it: no key, no policy, no data")
    .argument("<url>", "its address, such as http://127.0.0.1:8421/mcp")
    .option("--token-file <file>", "the file that holds the token, closed to all others (default: HOGA_TOKEN)")
    .action(async (url, options) => (await import("./commands/connect.ts")).connect(url, options, run));
}

function addExchanges(hoga: Command, run: Invocation): void {
  hoga
    .command("sandbox")
    .description("the exchange alone: prints its address and a ready-made key pair")
    .option("--host <host>", "address to listen on", "127.0.0.1")
    .option("--port <port>", "port to listen on", port, 8420)
    .option("--admin-port <port>", "port of the admin interface, on this machine only (default: any free one)", port, 0)
    .option("--seed <n>", "seed of the market flow, for a new exchange", whole)
    .option("--speed <x>", "speed of the market flow; 1 is two steps a second", positive)
    .option("--data <dir>", "where the exchange is kept (default: the data directory)")
    .option("--usdt", "a new exchange has the market BTC/USDT too, and its account some USDT", false)
    .option("--no-market-maker", "no market flow: only orders that are sent")
    .option("--as <exchange>", "speak the API of that exchange, and no other: upbit, bithumb, korbit or coinone")
    .option("--variant <name>", "with --as: what other sources say of that API, where they differ: other")
    .option("--drafts", "serve the Payment and Remittance APIs too, which are drafts and may change", false)
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/sandbox.ts")).sandbox(options, run));

  hoga
    .command("probe")
    .description(
      "try an exchange with your key: looks at all that hoga needs there, and places nothing without --order",
    )
    .addOption(profileOption())
    .option("--as <exchange>", "try instead a sandbox that speaks the API of that exchange, started for it")
    .option("--order", "then place, find and cancel one order, the smallest there is; asks for the PIN on the terminal")
    .option("--sell", "with --order: a sell too, of coins that the account has")
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/probe.ts")).probe(options, run));

  hoga
    .command("venues")
    .description("the exchanges that hoga can trade on, what each promises, and how far that is proved")
    .argument("[name]", "one of them: its whole card, and what to do before a key is made for it")
    .addOption(jsonOption())
    .action(async (name, options) => (await import("./commands/venues.ts")).venues(name, options, run));
}

function addService(hoga: Command, run: Invocation): void {
  hoga
    .command("service")
    .description("hoga under an account of its own, by systemd: install it, look at it, take it away")
    .addArgument(new Argument("<action>", "what to do").choices(["install", "status", "uninstall"]))
    .option("--port <port>", "install: port of MCP", port, 8421)
    .addOption(new Option("--profile <name>", "install: profile to serve (default: the account's own)"))
    .option("--print", "install: print the unit and do nothing")
    .addOption(
      new Option(
        "--for <system>",
        "install --print: what launchd or the task scheduler takes (default: this one)",
      ).choices(["linux", "macos", "windows"]),
    )
    .option("--dry-run", "show what would be done")
    .option("--yes", "do it without asking")
    .option("--force", "also where the unit was changed by hand")
    .addOption(jsonOption())
    .action(async (action, options) => (await import("./commands/service.ts")).service(action, options, run));
}

function withPeriod(command: Command): Command {
  return command
    .addOption(profileOption())
    .option("--symbol <symbol>", "one market only")
    .option("--from <date>", "from this year (2026), month (2026-03), day (2026-03-31) or time on; days are local")
    .option("--to <date>", "until the end of this year, month or day, or until this time")
    .option("--csv", "print CSV (RFC 4180, UTF-8) instead of a table")
    .option("--out <file>", "write the CSV to this new file, whole or not at all")
    .option("--bom", "begin the CSV with a byte order mark, for spreadsheets that need one")
    .addOption(jsonOption());
}

function addHistory(hoga: Command, run: Invocation): void {
  withPeriod(hoga.command("trades"))
    .description("list your own trades, newest first, with what each market was bought and sold for; default: 30 days")
    .action(async (options) => (await import("./commands/trades.ts")).trades(options, run));

  withPeriod(hoga.command("orders"))
    .description("list orders, newest first: the open ones, or with --from or --to all of a period")
    .addOption(
      new Option("--state <state>", "which orders (default: open; of a period: all)").choices([
        ...["open", "filled", "canceled", "expired", "rejected", "closed", "all"],
      ]),
    )
    .option("--limit <n>", "at most this many (default: 50; of a period or as CSV: all)", count)
    .action(async (options) => (await import("./commands/orders.ts")).orders(options, run));
}

function addMarket(hoga: Command, run: Invocation): void {
  hoga
    .command("ticker")
    .description("price now, and what it did in 24 hours")
    .argument("[symbols...]", "markets, such as BTC/KRW (default: all)")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (symbols, options) => (await import("./commands/market.ts")).ticker(symbols, options, run));

  hoga
    .command("book")
    .description("the order book now: asks above, bids below, each with the volume down to it")
    .argument("<symbol>", MARKET)
    .option("--depth <n>", "levels a side, 1 to 500", count, 10)
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (symbol, options) => (await import("./commands/market.ts")).book(symbol, options, run));

  hoga
    .command("watch")
    .description("follow the market on this terminal until Ctrl-C: the prices of all, or one with its book")
    .argument("[symbol]", MARKET)
    .addOption(profileOption())
    .addOption(new Option("--json", "print a line of JSON for each change"))
    .addHelpText("after", "\nWithout a terminal it prints what is there now, and ends; with --json it goes on.")
    .action(async (symbol, options) => (await import("./commands/watch.ts")).watch(symbol, options, run));
}

function addPortfolio(hoga: Command, run: Invocation): void {
  hoga
    .command("portfolio")
    .description("what is held: average cost, value, profit so far, and what a period earned and paid in fees")
    .addOption(profileOption())
    .addOption(new Option("--period <period>", "of profits and fees").choices(["today", "7d", "30d", "year", "all"]))
    .option("--from <date>", "instead: from this year, month, day or time on; days are local")
    .option("--to <date>", "until the end of this year, month or day, or until this time")
    .addOption(new Option("--method <method>", "which coins a sell takes").choices(["average", "fifo"]))
    .option("--chart <file>", "write a picture (PNG) to this new file: value by day, and what it consists of")
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/portfolio.ts")).portfolio(options, run));
}

/** Adds what only a person may do, with a PIN that only a person knows. */
function addApproval(hoga: Command, run: Invocation): void {
  hoga
    .command("pending")
    .description("list the orders, plans, payments and remittances that wait for a person's approval")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/approval.ts")).pending(options, run));

  hoga
    .command("approve")
    .description("approve what waits, and make it: shows each sheet, and asks for the PIN once, on the terminal")
    .argument("[ids...]", "ids or userrefs, as hoga pending shows them")
    .option("--all", "all that waits, each sheet shown")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (ids, options) => (await import("./commands/approval.ts")).approve(ids, options, run));

  hoga
    .command("deny")
    .description("deny orders, plans, payments or remittances that wait; nothing is sent")
    .argument("[ids...]", "ids or userrefs, as hoga pending shows them")
    .option("--all", "all that waits, each sheet shown")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (ids, options) => (await import("./commands/approval.ts")).deny(ids, options, run));

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
    .option("--unseen", "after a restore: also where the exchange cannot list the orders that the store lacks")
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
    .option(
      "--since <row>",
      "verify: from this row on, in which a person resumed trading and so accepted what was found",
      count,
    )
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (action, options) => (await import("./commands/audit.ts")).audit(action, options, run));
}

function addStore(hoga: Command, run: Invocation): void {
  hoga
    .command("store")
    .description(
      "where everything is kept: check it, back it up, or move it from the data directory to a PostgreSQL server",
    )
    .argument("<action>", "backup, check, migrate or use")
    .argument("[file]", "backup: the new file to write")
    .addOption(profileOption())
    .addOption(jsonOption())
    .addHelpText(
      "after",
      "\nmigrate moves hoga.db to the empty store that HOGA_STORE_URL names, while no other hoga of the data directory runs." +
        "\nuse says on a terminal that HOGA_STORE_URL, or its absence, is right where the data directory had another store.",
    )
    .action(async (action, file, options) =>
      (await import("./commands/store.ts")).store(action, { ...options, ...defined({ file }) }, run),
    );
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

function addPasskeys(hoga: Command, run: Invocation): void {
  const passkeys = hoga.command("passkeys").description("which passkeys may approve; they are enrolled in the console");
  passkeys
    .command("list")
    .description("list the passkeys: for which host, whether for real money, and when each was last used")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (options) => (await import("./commands/passkeys.ts")).listPasskeys(options, run));
  passkeys
    .command("remove")
    .description("take a passkey away; asks for the PIN, on a terminal")
    .argument("<id>", "as hoga passkeys list shows it")
    .addOption(profileOption())
    .action(async (id, options) => (await import("./commands/passkeys.ts")).removePasskey(id, options, run));
}

/**
 * Runs beside others in a process.
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
