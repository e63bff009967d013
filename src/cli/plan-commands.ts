/** The commands about plans: so far alerts. */
import { Argument, type Command } from "commander";
import type { PlanAction } from "../desk/index.ts";
import { takeTenants } from "./entrance-commands.ts";
import type { Invocation } from "./invocation.ts";
import { count, jsonOption, profileOption } from "./option.ts";

export function addPlans(hoga: Command, run: Invocation): void {
  const plans = hoga.command("plans").description("alerts: told once when the market is there; they trade never");
  const commands = () => import("./commands/plans.ts");
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
    .description("show one, also where it has ended")
    .argument("<plan>", "its id, as hoga plans shows it")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (id, options) => (await commands()).showPlan(id, options, run));
  plans
    .command("create")
    .description("make one; it works only while a hoga server of the profile runs")
    .addArgument(new Argument("<kind>", "what it does").choices(["alert"]))
    .option("--symbol <symbol>", "its market")
    .option("--above <price>", 'told when the price has stood there or above; a price, or "+5%" from now')
    .option("--below <price>", 'told when the price has stood there or below; a price, or "-5%" from now')
    .option("--until <date>", "a date or a time; default: as long as the policy allows")
    .option("--note <text>", "your words, told with it")
    .option("--preview", "only show what would be recorded")
    .addOption(profileOption())
    .addOption(jsonOption())
    .action(async (kind, options) => (await commands()).createPlan(kind, options, run));
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

const CHANGES = [
  ["pause", "nothing comes of it until it is resumed"],
  ["resume", "it waits again"],
  ["cancel", "nothing comes of it any more"],
] as const satisfies readonly (readonly [PlanAction, string])[];
