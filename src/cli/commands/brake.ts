/** `hoga halt` and `hoga resume`: the brake. Pulling it needs nothing; lifting it needs a person and the PIN. */
import { homeOf, loadProfile } from "../../config/index.ts";
import type { HaltReport } from "../../desk/index.ts";
import { compose } from "../compose.ts";
import { EXIT } from "../failure.ts";
import { print, printJson, table } from "../output.ts";
import { atTerminal, provePin } from "../pin-prompt.ts";

export interface BrakeOptions {
  readonly profile?: string;
  readonly json?: boolean;
  readonly reason?: string;
}

export async function halt(options: BrakeOptions): Promise<void> {
  const home = homeOf(process.env);
  const composition = compose({ home, profile: loadProfile(home, process.env, options.profile), standBy: false });
  try {
    const report = await composition.desk.halt(options.reason ?? "", "a person at a terminal");
    if (options.json === true) printJson(report);
    else print(haltText(report));
    const isDone = report.remaining === 0 && report.unresolved.length === 0 && report.brake === "everywhere";
    process.exitCode = isDone ? EXIT.done : EXIT.failed;
  } finally {
    await composition.close();
  }
}

export async function resume(options: BrakeOptions): Promise<void> {
  await atTerminal("To lift the brake", async (ask) => {
    const home = homeOf(process.env);
    const composition = compose({ home, profile: loadProfile(home, process.env, options.profile), standBy: false });
    try {
      await provePin((await composition.store()).pin, ask);
      const report = await composition.desk.resume("a person at a terminal");
      if (options.json === true) printJson(report);
      else print(report.resumed ? "Trading goes on." : `Still halted: ${report.error?.message ?? ""}`);
      process.exitCode = report.resumed ? EXIT.done : EXIT.failed;
    } finally {
      await composition.close();
    }
  });
}

function haltText(report: HaltReport): string {
  const where = report.brake === "everywhere" ? "in every process" : "in this process only";
  const open =
    report.remaining === null ? "what is still open could not be verified" : `${report.remaining} still open`;
  const rows = report.results.map(({ orderId, symbol, state }) => [orderId, symbol, state]);
  const waiting = report.unresolved.map(({ userref, symbol }) => `outcome unknown: userref ${userref}, ${symbol}`);
  return [
    `Trading is halted ${where}: ${report.canceled} orders canceled, ${open}. hoga resume lifts it.`,
    ...(rows.length === 0 ? [] : [table(["order id", "market", "state"], rows)]),
    ...waiting,
    ...report.warnings.map((warning) => `Warning: ${warning}`),
    ...(report.error === undefined ? [] : [report.error.message]),
    ...(report.next_action === undefined ? [] : [report.next_action]),
  ].join("\n");
}
