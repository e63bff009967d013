/**
 * Halting by a command: before anything else, and whatever else is wrong. What could not be done after that is reported.
 *
 * Entry points: `haltFirst`, and `haltText` for what came of it.
 */
import { type Home, loadProfile, type Profile, profilesIn } from "../../config/index.ts";
import { localFault } from "../../contract/index.ts";
import {
  type ElsewhereOrder,
  type HaltReport,
  haltReason,
  type KillSwitchRecord,
  type KillSwitchStore,
  ordersOfOtherAccounts,
  reportError,
  unsettledIn,
  type Withdrawal,
  withdrawAllIn,
} from "../../desk/index.ts";
import type { Words } from "../../words/index.ts";
import { commandLine } from "../command-line.ts";
import { haltByFile, haltHome, problemOf } from "../composition/home-kill-switch.ts";
import { openHomeStore } from "../composition/home-store.ts";
import { lazyPort } from "../composition/lazy-ports.ts";
import { once } from "../composition/opening.ts";
import { resolveTenant } from "../composition/tenants.ts";
import { EXIT, type ExitCode, errorInWords, isExplained, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { table } from "../text/table.ts";

/** Reports what was halted: where the profile cannot be loaded, the exchange is not known either. */
export type Halted = Omit<HaltReport, "environment" | "elsewhere" | "unit"> & {
  readonly environment: HaltReport["environment"] | "unknown";
  readonly elsewhere: readonly (ElsewhereOrder & { readonly profiles: readonly string[] })[];
};

/** Said beside the report: a halt is refused for nothing. */
export const UNNAMED_PROFILE = "--profile has no name and is passed over.";

export interface HaltRequest {
  readonly reason: string;
  readonly by: string;
  readonly profile?: string | undefined;
}

/**
 * Halts, then loads the profile.
 * @param cancel what to do with it: cancel, by the desk of that profile
 */
export async function haltFirst<T>(
  run: Invocation,
  { reason, by, profile: named }: HaltRequest,
  cancel: (home: Home, profile: Profile) => Promise<T>,
): Promise<{ readonly done: T } | { readonly halted: Halted }> {
  const { home } = run;
  const record = { reason: haltReason(reason), by, atMs: Date.now() };
  await haltByFile(home, record);
  let profile: Profile;
  try {
    if (home.tenant !== undefined) await resolveTenant(run, home.tenant.name);
    profile = loadProfile(run.home, run.env, named);
  } catch (error) {
    if (!isExplained(error)) throw error;
    return { halted: await withoutProfile(home, record, error) };
  }
  return { done: await cancel(run.home, profile) };
}

async function withoutProfile(
  home: Home,
  record: KillSwitchRecord,
  why: Error & { readonly fix: string },
): Promise<Halted> {
  const closers: (() => Promise<void> | void)[] = [];
  const store = once(() => openHomeStore(home, closers));
  const killSwitch = lazyPort<KillSwitchStore>(async () => (await store()).killSwitch);
  const engaged = await haltHome(home, record, killSwitch);
  const { reason, by, atMs } = record;
  const entry = { event: "halted", account: "unknown", detail: { reason, by } };
  await problemOf(async () => unwrap(await (await store()).audit.append(entry, atMs)));
  let elsewhere: readonly ElsewhereOrder[] = [];
  let unsettled: readonly string[] = [];
  let waiting: Withdrawal | undefined;
  await problemOf(async () => {
    elsewhere = unwrap(await ordersOfOtherAccounts((await store()).journal, ""));
    unsettled = unwrap(await unsettledIn(await store()));
  });
  await problemOf(async () => {
    waiting = await withdrawAllIn(await store(), atMs);
  });
  for (const close of closers) await close();
  const { withdrawn = [], warnings: unwithdrawn = [NOT_WITHDRAWN] } = waiting ?? {};
  const fault = localFault("ELocal:Not started", {
    message: `No order was canceled, as no exchange can be reached: ${why.message}`,
    nextAction: `${why.fix} Then run hoga halt again: it cancels what is open.`,
  });
  return {
    outcome: "not_sent",
    brake: engaged.ok ? "everywhere" : engaged.inDirectory === true ? "directory" : "nowhere",
    results: [],
    canceled: 0,
    withdrawn,
    remaining: null,
    unresolved: [],
    elsewhere: elsewhere.map((order) => ({ ...order, profiles: profilesOf(home, order) })),
    environment: "unknown",
    account: "unknown",
    warnings: [...(engaged.ok ? engaged.value : [engaged.fault.message]), ...unsettled, ...unwithdrawn],
    error: reportError(fault),
    next_action: fault.nextAction,
  };
}

const NOT_WITHDRAWN = "What waits for a person could not be withdrawn; hoga deny does it, before anybody resumes.";

/** With the profiles that an order of another account may belong to. */
export function withProfiles(home: Home, report: HaltReport): Halted {
  return { ...report, elsewhere: report.elsewhere.map((order) => ({ ...order, profiles: profilesOf(home, order) })) };
}

/** Lists the profiles of its exchange, whosever key: to know the key's account, every password manager would have to be asked. */
function profilesOf(home: Home, { account }: ElsewhereOrder): readonly string[] {
  const ofIt = profilesIn(home).filter(({ environment, baseUrl }) => {
    const host = baseUrl === undefined ? "embedded" : new URL(baseUrl).hostname;
    return account.startsWith(`${environment}/${host}/`);
  });
  return ofIt.map(({ name }) => name);
}

export function haltExit(report: Halted): ExitCode {
  const isLeft = report.remaining !== 0 || report.unresolved.length > 0 || report.elsewhere.length > 0;
  // Where there is something to do next, the halt is not complete.
  return isLeft || report.next_action !== undefined || report.brake !== "everywhere" ? EXIT.failed : EXIT.done;
}

/** @param whose the profile and tenant that were named */
export function haltText(
  report: Halted,
  run: Pick<Invocation, "env" | "io" | "words">,
  whose: Parameters<typeof commandLine>[1],
): string {
  const { words } = run;
  const { environment, account, canceled, remaining, withdrawn } = report;
  const { say } = words;
  const open = remaining === null ? say("halt.unverified") : say("halt.still_open", { count: remaining });
  const waited = withdrawn.length === 0 ? "" : say("halt.waited", { count: withdrawn.length });
  const rows = report.results.map(({ orderId, symbol, state }) => [orderId, symbol, say(`state.${state}`)]);
  const head = [say("column.order_id"), say("column.market"), say("column.state")];
  return [
    brakeText(report, words, commandLine(run, whose)),
    say("halt.done", { environment, account, canceled, open, waited }),
    rows.length === 0 ? undefined : table(head, rows),
    ...withdrawn.map(({ id, summary }) => say("halt.withdrawn", { summary, id })),
    ...report.unresolved.map(({ userref, symbol }) => say("halt.unknown", { userref, symbol })),
    ...report.elsewhere.map((order) => elsewhereLine(order, run)),
    ...report.warnings.map((text) => say("told.warning", { text: words.told(text) })),
    report.error && errorInWords(report.error, words),
    report.next_action,
  ]
    .filter((line) => line !== undefined)
    .join("\n");
}

function brakeText({ brake }: Halted, { say }: Words, command: ReturnType<typeof commandLine>): string {
  if (brake === "everywhere") return say("halt.everywhere", { resume: command("resume") });
  return brake === "directory" ? `${say("halt.directory")}\n${command("halt")}` : say("halt.nowhere");
}

function elsewhereLine(
  { account, userref, symbol, state, profiles }: Halted["elsewhere"][number],
  { words: { say }, env, io }: Pick<Invocation, "env" | "io" | "words">,
): string {
  const named = profiles.map((name) => commandLine({ env, io }, { name })("halt"));
  const how = named.length === 0 ? say("halt.run_there") : say("halt.use", { commands: named.join(say("halt.or")) });
  return say("halt.elsewhere", { symbol, userref, state: say(`state.${state}`), account, how });
}
