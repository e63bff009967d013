/**
 * `hoga halt` and `hoga resume`: the kill switch. A halt needs nothing; to resume takes a person and the PIN, and in a store that was put back from a
 * copy the list of the orders that it lacks.
 *
 * Source: decision 0100.
 */
import { isAbsolute } from "node:path";
import { quoted } from "../../contract/index.ts";
import { orderStateOf, type ResumeReport, type SinceCopy } from "../../desk/index.ts";
import { assetsOf, type Words } from "../../words/index.ts";
import type { Composition } from "../composition/compose.ts";
import { haltTenantFiles, tenantRuns } from "../composition/tenants.ts";
import { EXIT, errorInWords, NotApprovedError, said } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { table } from "../text/table.ts";
import { type Halted, haltExit, haltFirst, haltText, UNNAMED_PROFILE, withProfiles } from "./halt-first.ts";
import { withComposition } from "./look.ts";
import { atTerminal, provePin } from "./pin-prompt.ts";
import { standingStill, standingStillText } from "./standing-still.ts";

export interface ResumeOptions {
  readonly profile?: string;
  readonly json?: boolean;
  /** In a store that was put back, also where the exchange cannot be asked. */
  readonly unseen?: boolean;
}

export interface HaltOptions extends Pick<ResumeOptions, "json"> {
  /** True where it was written without a value. */
  readonly profile?: string | true;
  readonly reason?: string | true;
}

const BY = "a person at a terminal";

/** Halts the operator, and all tenants too. @param words what was not understood, which is no reason not to halt */
export async function halt(words: readonly string[], options: HaltOptions, run: Invocation): Promise<void> {
  const reason = typeof options.reason === "string" ? options.reason : "";
  const isUnnamed = options.profile === true || options.profile === "";
  const profile = typeof options.profile === "string" && !isUnnamed ? options.profile : undefined;
  const isForAll = run.home.tenant === undefined;
  // Before anything of anybody is opened.
  if (isForAll) await haltTenantFiles(run.home, reason, BY);
  // Beside it, as a store that says nothing is waited for each time that it is opened.
  const tenantsNamed = isForAll ? tenantRuns(run) : Promise.resolve([]);
  tenantsNamed.catch(() => undefined);
  const report = await haltOne(run, reason, profile);
  const ignored = words.map((word) => run.words.say("halt.ignored", { word: quoted(word, 40) }));
  if (isUnnamed) ignored.push(UNNAMED_PROFILE);
  const named = run.io.env["HOGA_HOME"]?.trim() ?? "";
  if (named !== "" && !/^~/.test(named) && !isAbsolute(named))
    ignored.push(run.words.say("halt.relative", { dir: run.home.dir }));
  const own = { ...report, warnings: [...report.warnings, ...ignored] };
  const tenants = await haltTenants(await tenantsNamed, reason);
  const reports = [own, ...tenants.map(([, theirs]) => theirs)];
  if (options.json === true)
    run.out.printJson(tenants.length === 0 ? own : { ...own, tenants: Object.fromEntries(tenants) });
  else {
    const texts = tenants.map(
      ([name, theirs]) => `${run.words.say("halt.tenant", { name })}\n${haltText(theirs, run, { tenant: name })}`,
    );
    run.out.print([haltText(own, run, { name: profile, tenant: run.home.tenant?.name }), ...texts].join("\n\n"));
  }
  run.exitCode = reports.map(haltExit).find((code) => code !== EXIT.done) ?? EXIT.done;
}

async function haltOne(run: Invocation, reason: string, profile?: string): Promise<Halted> {
  const ended = await haltFirst(run, { reason, by: BY, profile }, (home, found) =>
    withComposition(run, found, async ({ desk }) => withProfiles(home, await desk.halt(reason, BY))),
  );
  return "done" in ended ? ended.done : ended.halted;
}

/** Some at once, as each has an exchange to ask. */
const AT_ONCE = 8;

async function haltTenants(
  runs: readonly (readonly [string, Invocation])[],
  reason: string,
): Promise<readonly (readonly [string, Halted])[]> {
  const done: (readonly [string, Halted])[] = [];
  for (let next = 0; next < runs.length; next += AT_ONCE) {
    const some = runs.slice(next, next + AT_ONCE);
    done.push(
      ...(await Promise.all(some.map(async ([name, theirs]) => [name, await haltOne(theirs, reason)] as const))),
    );
  }
  return done;
}

export async function resume(options: ResumeOptions, run: Invocation): Promise<void> {
  await atTerminal(run, "resume", async (ask) => {
    await withComposition(run, options.profile, async (composition) => {
      let list = await lackedIn(composition, options, run);
      for (;;) {
        if (list !== undefined) run.out.writeError(`${lackedText(list, run.words)}\n`);
        await provePin(run, composition, ask);
        const go = { shown: list?.digest, unseen: options.unseen };
        const report = await composition.desk.resume(BY, go);
        // The go was for a list that has changed since: it is shown anew, and asked for once more.
        if (report.resumed || report.since_copy === undefined) return told(report, composition, options, run);
        run.out.writeError(`${run.words.say("resume.changed")}\n`);
        list = report.since_copy;
      }
    });
  });
}

/** With the plans that stand still, as trading that goes on starts none. */
async function told(
  report: ResumeReport,
  composition: Composition,
  { json }: ResumeOptions,
  run: Invocation,
): Promise<void> {
  const still = report.resumed ? await standingStill(composition, run) : [];
  const plans = (still ?? []).map(({ plan: _view, ...named }) => named);
  if (json === true) run.out.printJson(plans.length === 0 ? report : { ...report, plans });
  else
    run.out.print(
      [resumeText(report, run.words), ...standingStillText(still, composition.desk.unit, run.words)].join("\n"),
    );
  run.exitCode = report.resumed ? EXIT.done : EXIT.failed;
}

/** @throws NotApprovedError where the exchange cannot be asked, and nobody has said that it is done without */
async function lackedIn(
  { desk, commandLine }: Pick<Composition, "desk" | "commandLine">,
  { unseen = false }: ResumeOptions,
  { out, words }: Invocation,
): Promise<SinceCopy | undefined> {
  const found = await desk.sinceCopy();
  if (found.ok) return found.value;
  const why = (of: Words): string => errorInWords(found.fault, of);
  if (!unseen) {
    const command = commandLine("resume", "--unseen");
    throw new NotApprovedError(
      ...said((of) => [of.say("resume.unlisted", { why: why(of) }), of.say("resume.unseen_with", { command })]),
    );
  }
  out.writeError(`${words.say("resume.unseen", { why: why(words) })}\n`);
  return undefined;
}

function resumeText({ resumed, error }: ResumeReport, words: Words): string {
  if (resumed) return words.say("resume.done");
  return words.say("resume.not", { why: error === undefined ? "" : errorInWords(error, words) });
}

function lackedText(list: SinceCopy, words: Words): string {
  const { say, when } = words;
  const { put_back_at, since, orders, complete, ended_since, environment, account } = list;
  const at = when(put_back_at);
  const whose = { money: say(`money.${environment}`), account: quoted(account) };
  return [
    since === null ? say("resume.put_back_empty", { at }) : say("resume.put_back", { at, since: when(since) }),
    ...(orders.length === 0
      ? [say("resume.lacked_none", whose)]
      : [say("resume.lacked", { ...whose, count: orders.length }), lackedTable(orders, words)]),
    ...(complete ? [] : [say("resume.lacked_more")]),
    ...(ended_since === null ? [] : [say("resume.ended_since", { time: when(ended_since) })]),
    say("resume.one_account"),
  ].join("\n");
}

const LACKED = ["created", "market", "side", "size", "price", "state", "order_id", "userref"] as const;

function lackedTable(orders: SinceCopy["orders"], { say, when, figure, amount }: Words): string {
  const rows = orders.map((order) => {
    const { base, quote } = assetsOf(order.symbol);
    return [
      when(order.created_at),
      order.symbol,
      say(`side.${order.side}`),
      order.volume === null ? amount(order.amount ?? "", quote) : amount(order.volume, base),
      order.price === null ? say("type.market") : figure(order.price, quote),
      say(`state.${orderStateOf(order)}`),
      order.orderId,
      order.userref ?? "-",
    ];
  });
  return table(
    LACKED.map((name) => say(`column.${name}`)),
    rows,
  );
}
