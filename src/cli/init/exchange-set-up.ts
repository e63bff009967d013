/**
 * A profile for an exchange with a key of the person's own, asked for step by step: advice, address, key, a look with it, the policy's figures, and
 * last the PIN. Nothing is written here: what is to be written is handed back.
 *
 * Invariants: the secret is read without echo and goes into `config.toml` alone; for real money no figure of the policy is proposed; a key that
 * the exchange refuses is not kept.
 */
import { stringify } from "smol-toml";
import { givenCredentials, MODULES, type Profile, Secret } from "../../config/index.ts";
import { DEFAULT_UNIT, quoted } from "../../contract/index.ts";
import { policyTable, sumSettingName } from "../../policy/index.ts";
import { CARDS } from "../../venues/index.ts";
import { adviceLines } from "../../words/index.ts";
import { askForPin } from "../commands/pin.ts";
import type { Ask } from "../commands/pin-prompt.ts";
import { exchangeOf } from "../composition/open-venue.ts";
import { venueChecks } from "../doctor/venue-checks.ts";
import { ExplainedError, NotApprovedError, UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { withTomlTable } from "./entry.ts";
import { bytesOf, textOf } from "./file-change.ts";
import type { Change } from "./undo.ts";

export interface SetUp {
  readonly profile: string;
  readonly changes: readonly Change[];
  /** After everything was written. */
  readonly finish: () => Promise<void>;
}

interface Person {
  readonly ask: Ask;
  readonly tell: (text: string) => void;
}

type Environment = Profile["environment"];

/** @throws UsageError for an answer that cannot be used; NotApprovedError where the person stops */
export async function exchangeSetUp(name: string, run: Invocation, person: Person): Promise<SetUp> {
  const { ask, tell } = person;
  const card = CARDS.find((each) => each.name === name);
  if (card === undefined)
    throw new UsageError(`hoga knows no exchange ${quoted(name, 40)}.`, "hoga venues lists those that it trades on.");
  tell(["", run.words.say("venue.advice"), ...adviceLines(card, run.words).map((line) => `- ${line}`), ""].join("\n"));
  const [own] = card.hosts;
  const url = await answered(ask, own === undefined ? "Its address" : `Its address (Enter: https://${own})`, own);
  const environment = await environmentOf(ask, name, url);
  const profileName = environment === "live" ? name : `${name}-paper`;
  const settings = { environment, ...(name === "hoga" ? {} : { exchange: name }), ...(url && { base_url: url }) };
  const form = name === "hoga" ? "base64" : "text";
  const pair = [await ask("API key"), await ask("API secret")].map((text) => new Secret(text.trim()));
  const credentials = givenCredentials(pair[0] as Secret, pair[1] as Secret, "What was typed", form);
  const profile: Profile = {
    ...{ name: profileName, environment, exchange: name, api: "open", unit: DEFAULT_UNIT, modules: MODULES },
    ...{ absence: { by: name === "hoga" ? "nonce" : "none" }, ...(url && { baseUrl: url }) },
    credentials: async () => credentials,
    webhookSecrets: () => [],
  };
  await tryKey(profile, run, person);
  const keys = { key: credentials.apiKey.reveal(), secret: credentials.apiSecret.reveal() };
  const config = configChange(run, profileName, { ...settings, ...keys });
  const policy = environment === "live" ? await policyChange(run, person) : [];
  tell(`\n${config.file}\n+ [profiles.${profileName}]\n${shownSettings(settings)}\n+ key and secret: not shown`);
  for (const { file, after } of policy) tell(`\n${file}\n${after.toString("utf8").trim().replaceAll(/^/gm, "+ ")}`);
  const finish = async (): Promise<void> => {
    if (environment === "sandbox") return;
    await askForPin(run, profileName, ask, true);
    tell(`Next: hoga probe --profile ${profileName} tries the exchange with this key, and places nothing.`);
  };
  return { profile: profileName, changes: [config, ...policy], finish };
}

function shownSettings(settings: Readonly<Record<string, unknown>>): string {
  return stringify(settings).trim().replaceAll(/^/gm, "+ ");
}

/** @param own where Enter leads, without its scheme; undefined where an answer has to be given */
async function answered(ask: Ask, question: string, own: string | undefined): Promise<string | undefined> {
  const answer = (await ask(question, true)).trim().replace(/\/+$/, "");
  if (answer === "" && own !== undefined) return undefined;
  if (!/^https?:\/\/[^\s@?#]+$/.test(answer) || !URL.canParse(answer))
    throw new UsageError("That is no address.", "Give it as https://HOST; run hoga init again.");
  return answer;
}

/** Behind the known address of an exchange is real money; of any other a person has to say it. */
async function environmentOf(ask: Ask, name: string, url: string | undefined): Promise<Environment> {
  if (name !== "hoga" && url === undefined) return "live";
  const answer = (await ask("Is there real money behind it? Type live or sandbox", true)).trim();
  if (answer === "live" || answer === "sandbox") return answer;
  throw new UsageError("That is neither live nor sandbox.", "Run hoga init again, and type one of the two.");
}

/** @throws ExplainedError where the exchange does not take it; NotApprovedError where the person does not after a warning */
async function tryKey(profile: Profile, run: Invocation, { ask, tell }: Person): Promise<void> {
  const checks = await venueChecks({ profile, ...exchangeOf(profile) }, run.home);
  for (const { name, ok, detail } of checks) tell(`${ok ? "ok     " : "warning"}  ${name}: ${detail}`);
  const failed = checks.find(({ ok, required }) => required && !ok);
  if (failed !== undefined) throw new ExplainedError(failed.detail, failed.fix ?? "Run hoga init again.");
  if (checks.every(({ ok }) => ok)) return;
  const goOn = await ask("Go on with this key all the same? [y/N]", true);
  if (!/^y(es)?$/i.test(goOn.trim())) throw new NotApprovedError("Nothing was changed.", "Make another key first.");
}

/** Only adds to the settings. @throws UsageError where there is such a profile, or the file cannot be added to */
function configChange({ home }: Invocation, name: string, table: Readonly<Record<string, unknown>>): Change {
  const before = bytesOf(home.config);
  const text = before && textOf(before)?.text;
  if (before !== undefined && text === undefined)
    throw new UsageError(`${home.config} is not UTF-8 text.`, "Save it as UTF-8.");
  const edited = withTomlTable(text, "profiles", name, table);
  if ("problem" in edited)
    throw new UsageError(`${home.config} is left alone: ${edited.problem}.`, "Correct it, or add the profile by hand.");
  if (text !== undefined && !edited.text.startsWith(text))
    throw new UsageError(
      `There is a profile ${name} in ${home.config}, which is left as it is.`,
      `Use it with hoga init --profile ${name}, or rename it there first.`,
    );
  const after = text === undefined ? `default_profile = "${name}"\n\n${edited.text}` : edited.text;
  return { file: home.config, before, after: Buffer.from(after), isSecret: true };
}

const SUMS = { max_order: "One order at most", max_day: "Within 24 hours at most", max_open: "In open orders at most" };

/** Figures that a person types: nothing is proposed where money is real. A policy that is there stays. */
async function policyChange({ home }: Invocation, { ask, tell }: Person): Promise<readonly Change[]> {
  if (bytesOf(home.policy) !== undefined) {
    tell(`\n${home.policy} is there, and stays as it is.`);
    return [];
  }
  tell("\nThe policy, which no tool can change. Every order waits for your yes at first (mode = confirm).");
  const given: Record<string, unknown> = { mode: "confirm" };
  for (const [stem, question] of Object.entries(SUMS)) {
    const name = sumSettingName(stem as keyof typeof SUMS, DEFAULT_UNIT);
    given[name] = await figure(ask, name, `${question}, in ${DEFAULT_UNIT}`);
  }
  return [{ file: home.policy, before: undefined, after: Buffer.from(stringify(given)) }];
}

const TRIES = 3;

async function figure(ask: Ask, name: string, question: string): Promise<string> {
  let why = "";
  for (let turn = 0; turn < TRIES; turn += 1) {
    const answer = (await ask(`${why}${question}`, true)).trim().replaceAll(",", "");
    const parsed = policyTable(DEFAULT_UNIT).safeParse({ [name]: answer });
    if (parsed.success) return answer;
    why = `It ${parsed.error.issues[0]?.message ?? "is no sum"}. `;
  }
  throw new UsageError(`No figure was given for ${name}.`, "Run hoga init again: nothing was changed.");
}
