/**
 * `hoga probe`: tries an exchange with a person's key. Without `--order` it only looks; with it, one order that nobody takes is placed, found and
 * canceled, on a terminal and with the PIN.
 *
 * Source: decision 0092.
 */
import { loadProfile, MODULES, type Profile, Secret } from "../../config/index.ts";
import { DEFAULT_UNIT, type VenueCard } from "../../contract/index.ts";
import { titleOf } from "../../words/index.ts";
import { EXIT, faultLines, UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { keepProbe } from "../probe/probe-file.ts";
import { probeSay } from "../probe/probe-words.ts";
import { type ReadProbe, readProbe } from "../probe/read-probe.ts";
import type { EndedStep } from "../probe/run-steps.ts";
import { VERSION } from "../version.ts";
import { type Ask, atTerminal } from "./pin-prompt.ts";

const FIELDS_SHOWN = 8;

export interface ProbeOptions {
  readonly profile?: string;
  readonly as?: string;
  readonly order?: boolean;
  readonly sell?: boolean;
  readonly json?: boolean;
}

export async function probe(options: ProbeOptions, run: Invocation): Promise<void> {
  const { as: family, order = false, sell = false } = options;
  if (family !== undefined && (order || options.profile !== undefined))
    throw new UsageError(
      "--as tries a sandbox that is started for it: it has no profile, and takes no order.",
      "Leave out --as, or --order and --profile.",
    );
  if (sell && !order) throw new UsageError("--sell is a part of --order.", "Write --order --sell.");
  if (order)
    return atTerminal(run, "probe", (ask) =>
      probed(options, run, loadProfile(run.home, run.env, options.profile), ask),
    );
  if (family === undefined) return probed(options, run, loadProfile(run.home, run.env, options.profile));
  const { profile, close } = await familyProfile(family);
  try {
    await probed(options, run, profile);
  } finally {
    await close();
  }
}

/** A sandbox that speaks the API of an exchange, in this process and in memory. */
async function familyProfile(
  name: string,
): Promise<{ readonly profile: Profile; readonly close: () => Promise<void> }> {
  const { startSandbox, VENUE_NAMES } = await import("../../sandbox/index.ts");
  const as = VENUE_NAMES.find((known) => known === name);
  if (as === undefined)
    throw new UsageError(`The sandbox does not speak the API of ${name}.`, `Use one of: ${VENUE_NAMES.join(", ")}.`);
  const sandbox = await startSandbox({ as });
  const credentials = { apiKey: new Secret(sandbox.apiKey), apiSecret: new Secret(sandbox.apiSecret) };
  const profile: Profile = {
    ...{ name: as, environment: "sandbox", exchange: as, api: "open", unit: DEFAULT_UNIT, modules: MODULES },
    ...{ baseUrl: sandbox.baseUrl, absence: { by: "none" } },
    credentials: async () => credentials,
    webhookSecrets: () => [],
  };
  return { profile, close: () => sandbox.close() };
}

async function probed(options: ProbeOptions, run: Invocation, profile: Profile, ask?: Ask): Promise<void> {
  const isText = options.json !== true;
  let isHeaded = false;
  const tell = (step: EndedStep, card: VenueCard): void => {
    if (!isText) return;
    if (!isHeaded) run.out.print(headOf(profile, card, run));
    isHeaded = true;
    run.out.print(stepText(step, run));
  };
  const read = await readProbe(run, profile, tell);
  const at = new Date().toISOString();
  const file = keep(run, profile, read, at);
  if (!read.passed) run.exitCode = EXIT.failed;
  if (isText) run.out.print(endText(read, file, run));
  const order =
    ask === undefined || !read.passed
      ? undefined
      : await (await import("../probe/order-probe.ts")).orderProbe({
          run,
          profile,
          read,
          ask,
          tell,
          sell: options.sell === true,
        });
  if (order?.passed === true) keep(run, profile, read, at, order.steps);
  if (isText) return;
  run.out.printJson({ ...recordOf(profile, read, at, order?.steps), file });
}

function keep(run: Invocation, profile: Profile, read: ReadProbe, at: string, order?: readonly EndedStep[]): string {
  return keepProbe(run.home, { ...recordOf(profile, read, at, order), ...(order && { ordered_at: at }) });
}

function recordOf(profile: Profile, read: ReadProbe, at: string, order: readonly EndedStep[] | undefined) {
  const { card, environment, practice, passed, steps } = read;
  return {
    ...{ hoga: VERSION, exchange: card.name, profile: profile.name, environment, practice, at, passed },
    steps: steps.map(({ report }) => report),
    ...(order && { order: order.map(({ report }) => report) }),
  };
}

function headOf({ name: profile }: Profile, card: VenueCard, { words }: Invocation): string {
  const say = probeSay(words);
  return say("probe.head", { exchange: titleOf(card, words), profile, what: say("probe.reads") });
}

/** A step as it has ended, and below it what was asked and what is known of the fields of the answers. */
function stepText({ report, finding }: EndedStep, { words }: Invocation): string {
  const say = probeSay(words);
  const { step, result, ms, asked, unread_fields: unread = [], missing_fields: missing = [] } = report;
  const said = finding.fault === undefined ? [finding.note(say)] : faultLines(finding.fault, words);
  return [
    `${say(`step.${step}` as "step.clock")}: ${say(`result.${result}`)} (${ms} ms)`,
    ...said.map((line) => `  ${line.trim()}`),
    ...(asked.length === 0 ? [] : [`  ${say("probe.asked", { calls: asked.join(", ") })}`]),
    ...(unread.length === 0 ? [] : [`  ${say("probe.unread", { names: few(unread) })}`]),
    ...(missing.length === 0 ? [] : [`  ${say("probe.missing", { names: few(missing) })}`]),
  ].join("\n");
}

/** All of them are in the file. */
function few(names: readonly string[]): string {
  const shown = names.slice(0, FIELDS_SHOWN).join(", ");
  return names.length > FIELDS_SHOWN ? `${shown}, … (${names.length})` : shown;
}

function endText(
  { card, environment, practice, passed, steps }: ReadProbe,
  file: string,
  { words }: Invocation,
): string {
  const say = probeSay(words);
  const isCompared = steps.some(({ report }) => report.unread_fields !== undefined);
  const counts = passed && environment === "live" && !practice && card.name !== "hoga";
  return [
    ...(isCompared ? [] : [say("probe.by_schema_alone")]),
    say(passed ? "probe.passed" : "probe.not_passed"),
    ...(counts ? [say("probe.counts", { exchange: titleOf(card, words) })] : []),
    say("probe.kept", { file }),
  ].join("\n");
}
