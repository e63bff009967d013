/** The commands about plans: orders that wait, repeat or slice, and alerts. Source: plans.md#create. */
import { Argument, type Command, Option } from "commander";
import { quoted } from "../contract/index.ts";
import type { PlanAction } from "../desk/index.ts";
import { takeTenants } from "./entrance-commands.ts";
import type { Invocation } from "./invocation.ts";
import { count, jsonOption, profileOption } from "./option.ts";

const KINDS = ["stop", "take_profit", "trailing_stop", "oco", "recurring", "slices", "rebalance", "alert"] as const;

/** The fields of a request, each for the kinds that take it. */
const FIELDS = [
  ["symbol <symbol>", "its market"],
  ["side <side>", "recurring, slices: buy or sell (default of recurring: buy)"],
  ["base-volume <coins>", 'coins: in all, or of recurring per turn; of what sells also a share, "50%"'],
  ["quote-amount <sum>", "of what buys, instead: a sum of the quote currency"],
  ["stop-price <price>", 'stop, oco: sells when the price has stood there or below; a price, or "-5%" from now'],
  ["take-price <price>", 'take_profit, oco: sells at it or better; a price, or "+10%" from now'],
  ["trail <distance>", 'trailing_stop, oco: so far below the highest price since; "5%", or an amount'],
  ["limit-price <price>", "of a stop: rests there; of what buys: no higher; of what sells: no lower"],
  ["floor-price <price>", "a protection never sells below (default: by the policy)"],
  ["after <order>", "oco: order id or userref of the buy that it begins with; percentages are of its average price"],
  ["schedule <text>", 'recurring: "daily 09:00", "weekly mon,thu 09:00" or "monthly 1,15 09:00"; the time is local'],
  ["duration <time>", "slices: over how long, such as 2h"],
  ["weights <list>", "rebalance: the share of each asset, such as BTC=50%,ETH=30%,KRW=20%"],
] as const;

const OF_ALERTS = [
  ["event <event>", "alert: price (the default), fill, portfolio or day_loss"],
  ["above <price>", 'alert: told when it has stood there or above; a price, or "+5%" from now'],
  ["below <price>", 'alert: told when it has stood there or below; a price, or "-5%" from now'],
] as const;

const OF_ALL = [
  ["until <date>", "a date or a time; default: as long as the policy allows"],
  ["note <text>", "your words, told with it"],
  ["replaces <plan>", "the plan whose place it takes, which works until this one begins"],
] as const;

export function addPlans(hoga: Command, run: Invocation): void {
  const plans = hoga
    .command("plans")
    .description("orders that wait, repeat or slice, and alerts; they work only while a hoga server runs");
  const commands = () => import("./commands/plans.ts");
  plans.hook("preSubcommand", refuseUnknown);
  plans
    .command("list", { isDefault: true })
    .description("list them, newest first: what each waits for, and when nobody watched")
    .option("--symbol <symbol>", "one market only")
    .option("--all", "those that have ended too")
    .option("--limit <n>", "at most this many (default: 50)", count)
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (options) => (await commands()).listPlans(options, run));
  plans
    .command("show")
    .description("show one, also where it has ended, with all its figures and steps")
    .argument("<plan>", "its id, as hoga plans shows it")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (id, options) => (await commands()).showPlan(id, options, run));
  addCreate(plans, run);
  for (const [action, description] of CHANGES)
    plans
      .command(action)
      .description(description)
      .argument("<plan>", "its id, as hoga plans shows it")
      .addOption(profileOption())
      .addOption(jsonOption())
      .action(async (id, options) => (await commands()).changePlan(id, action, options, run));
  takeTenants(plans, run);
}

/** Else the command that is meant where none is named would take its name for an argument too many. */
function refuseUnknown(group: Command): void {
  const [given = ""] = group.args;
  const names = group.commands.map((command) => command.name());
  if (given === "" || given.startsWith("-") || names.includes(given)) return;
  group.error(`error: hoga ${group.name()} has no ${quoted(given, 40)}. There are ${names.join(", ")}.`, {
    code: "commander.unknownCommand",
  });
}

function addCreate(plans: Command, run: Invocation): void {
  const create = plans
    .command("create")
    .description("make one; a person approves it once, as hoga pending and hoga approve show")
    .addArgument(new Argument("<kind>", "what it does").choices(KINDS));
  for (const [flags, about] of [...FIELDS, ...OF_ALERTS, ...OF_ALL]) withBothSpellings(create, flags, about);
  create
    .option("--slices <n>", "slices: how many pieces", count)
    .option("--preview", "only show what would be recorded")
    .addOption(
      new Option("--rehearse <period>", "only show what it would have done on past prices").choices([
        "1d",
        "7d",
        "30d",
      ]),
    )
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (kind, options) => (await import("./commands/plans.ts")).createPlan(kind, options, run));
}

/** As the tool spells a field too: who has read its name there may write it. */
function withBothSpellings(create: Command, flags: string, about: string): void {
  create.option(`--${flags}`, about);
  if (flags.includes("-")) create.addOption(new Option(`--${flags.replaceAll("-", "_")}`).hideHelp());
}

const CHANGES = [
  ["pause", "nothing comes of it until it is resumed; of a protection for real money it asks for the PIN"],
  ["resume", "it waits again; where money may be real it asks for the PIN"],
  ["cancel", "nothing comes of it any more; of a protection for real money it asks for the PIN"],
] as const satisfies readonly (readonly [PlanAction, string])[];
