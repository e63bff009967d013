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
import { adviceLines, adviceList } from "../../words/index.ts";
import { askForPin } from "../commands/pin.ts";
import type { Ask } from "../commands/pin-prompt.ts";
import { exchangeOf } from "../composition/open-venue.ts";
import { checkLines } from "../doctor/check-lines.ts";
import { venueChecks } from "../doctor/venue-checks.ts";
import { ExplainedError, NotApprovedError, said, UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { withTomlTable } from "./entry.ts";
import { bytesOf, textOf } from "./file-change.ts";
import { type InitSay, initSaid, initSay } from "./init-words.ts";
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
    throw new UsageError(
      ...initSaid(
        (say) => say("exchange.unknown", { name: quoted(name, 40) }),
        (say) => say("exchange.listed"),
      ),
    );
  const say = initSay(run.words);
  tell(["", ...adviceList(adviceLines(card, run.words), run.words), ""].join("\n"));
  const [own] = card.hosts;
  const question = own === undefined ? say("exchange.address") : say("exchange.address_own", { host: own });
  const url = await answered(ask, question, own);
  const environment = await environmentOf(ask, say, name, url);
  const profileName = environment === "live" ? name : `${name}-paper`;
  const settings = { environment, ...(name === "hoga" ? {} : { exchange: name }), ...(url && { base_url: url }) };
  const form = name === "hoga" ? "base64" : "text";
  const pair = [await ask(say("exchange.key")), await ask(say("exchange.secret"))].map(
    (text) => new Secret(text.trim()),
  );
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
  tell(`\n${config.file}\n+ [profiles.${profileName}]\n${shownSettings(settings)}\n+ ${say("exchange.not_shown")}`);
  for (const { file, after } of policy) tell(`\n${file}\n${after.toString("utf8").trim().replaceAll(/^/gm, "+ ")}`);
  const finish = async (): Promise<void> => {
    if (environment === "sandbox") return;
    await askForPin(run, profileName, ask, true);
    tell(say("exchange.next", { profile: profileName }));
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
    throw new UsageError(
      ...initSaid(
        (say) => say("exchange.no_address"),
        (say) => say("exchange.address_form"),
      ),
    );
  return answer;
}

/** Behind the known address of an exchange is real money; of any other a person has to say it. */
async function environmentOf(ask: Ask, say: InitSay, name: string, url: string | undefined): Promise<Environment> {
  if (name !== "hoga" && url === undefined) return "live";
  const answer = (await ask(say("exchange.money"), true)).trim();
  if (answer === "live" || answer === "sandbox") return answer;
  throw new UsageError(
    ...initSaid(
      (said) => said("exchange.neither"),
      (said) => said("exchange.type_one"),
    ),
  );
}

/** @throws ExplainedError where the exchange does not take it; NotApprovedError where the person does not after a warning */
async function tryKey(profile: Profile, run: Invocation, { ask, tell }: Person): Promise<void> {
  const checks = await venueChecks({ profile, ...exchangeOf(profile) }, run.home);
  for (const line of checkLines(checks, run)) tell(line);
  const failed = checks.find(({ ok, required }) => required && !ok);
  if (failed !== undefined)
    throw new ExplainedError(
      ...said((words) => {
        const [detail, fix] = failed.told(words);
        return [detail, fix ?? initSay(words)("end.start_again")];
      }),
    );
  if (checks.every(({ ok }) => ok)) return;
  const goOn = await ask(initSay(run.words)("exchange.go_on"), true);
  if (!/^y(es)?$/i.test(goOn.trim()))
    throw new NotApprovedError(
      ...initSaid(
        (say) => say("end.unchanged"),
        (say) => say("exchange.another_key"),
      ),
    );
}

/** Only adds to the settings. @throws UsageError where there is such a profile, or the file cannot be added to */
function configChange({ home }: Invocation, name: string, table: Readonly<Record<string, unknown>>): Change {
  const before = bytesOf(home.config);
  const text = before && textOf(before)?.text;
  if (before !== undefined && text === undefined)
    throw new UsageError(
      ...initSaid(
        (say) => say("config.not_text", { file: home.config }),
        (say) => say("config.save"),
      ),
    );
  const edited = withTomlTable(text, "profiles", name, table);
  if ("problem" in edited)
    throw new UsageError(
      ...initSaid(
        (say) => say("file.left", { file: home.config, problem: edited.problem(say) }),
        (say) => say("config.correct"),
      ),
    );
  if (text !== undefined && !edited.text.startsWith(text))
    throw new UsageError(
      ...initSaid(
        (say) => say("config.exists", { profile: name, file: home.config }),
        (say) => say("config.use_it", { profile: name }),
      ),
    );
  const after = text === undefined ? `default_profile = "${name}"\n\n${edited.text}` : edited.text;
  return { file: home.config, before, after: Buffer.from(after), isSecret: true };
}

const SUMS = ["max_order", "max_day", "max_open"] as const;

/** Figures that a person types: nothing is proposed where money is real. A policy that is there stays. */
async function policyChange({ home, words }: Invocation, { ask, tell }: Person): Promise<readonly Change[]> {
  const say = initSay(words);
  if (bytesOf(home.policy) !== undefined) {
    tell(`\n${say("policy.stays", { file: home.policy })}`);
    return [];
  }
  tell(`\n${say("policy.head")}`);
  const given: Record<string, unknown> = { mode: "confirm" };
  for (const stem of SUMS) {
    const name = sumSettingName(stem, DEFAULT_UNIT);
    given[name] = await figure(ask, say, name, say(`policy.${stem}`, { unit: DEFAULT_UNIT }));
  }
  return [{ file: home.policy, before: undefined, after: Buffer.from(stringify(given)) }];
}

const TRIES = 3;

async function figure(ask: Ask, say: InitSay, name: string, question: string): Promise<string> {
  let why = "";
  for (let turn = 0; turn < TRIES; turn += 1) {
    const answer = (await ask(`${why}${question}`, true)).trim().replaceAll(",", "");
    const parsed = policyTable(DEFAULT_UNIT).safeParse({ [name]: answer });
    if (parsed.success) return answer;
    const problem = parsed.error.issues[0]?.message ?? say("policy.no_sum");
    why = `${say("policy.not_so", { problem })} `;
  }
  throw new UsageError(
    ...initSaid(
      (said) => said("policy.not_given", { setting: name }),
      (said) => said("policy.again"),
    ),
  );
}
