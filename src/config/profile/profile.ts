/**
 * Owns the profile: which exchange is traded on, with which key. It is read from the flags, the environment or `config.toml`.
 *
 * Invariants: the environment (`sandbox` or `live`) is always written down, never guessed; a named profile that is absent or
 * incomplete is fatal; a key comes from exactly one place.
 *
 * Source: settings.md#profiles, settings.md#environment-variables, architecture.md#rule-8.
 */
import { parse, TomlError } from "smol-toml";
import { z } from "zod";
import {
  type Compliance,
  compliance,
  DEFAULT_UNIT,
  defined,
  TIERS,
  type Tier,
  UNITS,
  type Unit,
} from "../../contract/index.ts";
import { ConfigError, describeIssue } from "../files/config-error.ts";
import { checkLogLevel, trimmed } from "../files/environment.ts";
import type { Environment, Home } from "../files/home.ts";
import { readOwnFile } from "../files/own-file.ts";
import {
  checkReader,
  isTimeZone,
  LOCALES,
  type ReaderInForce,
  type ReaderSettings,
  readerOf,
  TIME_ZONE_RULE,
} from "../files/reader.ts";
import type { Tenant } from "../files/tenant.ts";
import { credentialsOf, KEY_SETTINGS } from "../keys/credentials.ts";
import { MasterKeys, tenantsTable } from "../keys/master-key.ts";
import { WEBHOOK_SETTINGS, webhookSecretsOf } from "../keys/webhook-secret.ts";
import type { ReadCredentials } from "../secrets/read-credentials.ts";
import type { Secret } from "../secrets/secret.ts";
import type { HttpInForce, NotifyInForce } from "./http-settings.ts";
import { CALLS, HTTP_RULES, httpInForce, notifyInForce } from "./http-settings.ts";
import { isReadByOthers } from "./loopback-host.ts";
import { ENVIRONMENT_NAMES, MODULES, PAPER } from "./paper-profile.ts";
import { StoreUrl } from "./store-url.ts";
import { timingOf, timingTable } from "./timing.ts";

/** A profile has to name them: their APIs are drafts. */
const TRANSFER_MODULES = ["payment", "remittance"] as const;
const ALL_MODULES = [...MODULES, ...TRANSFER_MODULES] as const;
export type ModuleName = (typeof ALL_MODULES)[number];

export interface Profile {
  readonly name: string;
  readonly environment: "sandbox" | "live";
  /** The exchange, as hoga's list names it. */
  readonly exchange: string;
  /** A person has read how far hoga is proved at this exchange, and lets it place orders with real money all the same. */
  readonly acceptUnproven?: boolean;
  /** Names the account at an exchange that does not. */
  readonly account?: string;
  /** Which of the exchange's APIs is spoken. */
  readonly api: "open" | "trading";
  /** What its limits, budgets and worth are counted in. */
  readonly unit: Unit;
  /** Absent: the embedded exchange. */
  readonly baseUrl?: string;
  /** Absent with the embedded exchange, which hands out its own, and where only public data is wanted. */
  readonly credentials?: ReadCredentials;
  readonly modules: readonly ModuleName[];
  readonly compliance?: Compliance;
  /** Sets the rate limit of the key; absent: what the exchange says of it holds, and the smallest until then. */
  readonly tier?: Tier;
  /** Says what makes "not found" final at the exchange: its nonce rule, or nothing. */
  readonly absence: { readonly by: "nonce" | "none" };
  /** Bounds how long the answer to a write is waited for. */
  readonly writeTimeoutMs?: number;
  /** Tells a person what to know of the settings; said when a process starts. */
  readonly notices?: readonly string[];
  /** Its webhooks are signed with one of them; empty where there is no setting. @throws ConfigError for one that cannot be right. */
  readonly webhookSecrets: () => readonly Secret[];
}

const URL_RULE = "must be an http or https URL of host and path alone: no user, password, query or fragment";

const httpUrl = z
  .string()
  .refine((text) => /^https?:\/\/[^\s@?#]+$/.test(text) && URL.canParse(text), { error: URL_RULE });

const RULES = [URL_RULE, TIME_ZONE_RULE, ...HTTP_RULES];

const NAME = z.string().regex(/^[A-Za-z0-9._-]{1,64}$/);

const profileTable = z.strictObject({
  environment: z.enum(["sandbox", "live"]),
  base_url: httpUrl.optional(),
  api: z.enum(["open", "trading"]).optional(),
  ...KEY_SETTINGS,
  ...WEBHOOK_SETTINGS,
  modules: z.array(z.enum(ALL_MODULES)).min(1).optional(),
  compliance: compliance.optional(),
  exchange: z
    .string()
    .regex(/^[a-z0-9-]{1,32}$/)
    .optional(),
  accept_unproven: z.boolean().optional(),
  account: NAME.optional(),
  nonce_fence: z.boolean().optional(),
  tier: z.enum(TIERS).optional(),
  unit: z.enum(UNITS).optional(),
  timing: timingTable.optional(),
});

/** Of this name alone it is paper money unless it says something else. */
const paperTable = profileTable.extend({ environment: profileTable.shape.environment.default(PAPER.environment) });
const profilesTable = z.object({ [PAPER.name]: paperTable.optional() }).catchall(profileTable);

const configFile = z.strictObject({
  locale: z.enum(LOCALES).optional(),
  timezone: z.string().refine(isTimeZone, { error: TIME_ZONE_RULE }).optional(),
  ...CALLS,
  tenants: tenantsTable.optional(),
  default_profile: z.string().min(1).optional(),
  profiles: profilesTable.optional(),
});

type ConfigFile = z.infer<typeof configFile>;
type ProfileTable = z.infer<typeof profileTable>;

/** Tells whether the profile names payments or remittances: the embedded exchange then serves them. */
export function hasDrafts({ modules }: Pick<Profile, "modules">): boolean {
  return modules.some((name) => TRANSFER_MODULES.some((transfer) => transfer === name));
}

/** The profile in force. @throws ConfigError naming the setting and the fix */
export function loadProfile(home: Home, env: Environment, flag?: string): Profile {
  checkLogLevel(env);
  StoreUrl.of(env["HOGA_STORE_URL"]);
  checkReader(env);
  if (home.tenant !== undefined) return tenantProfile(home, home.tenant, env, flag);
  const fromEnvironment = environmentProfile(env);
  const named = flag ?? nonEmpty(env["HOGA_PROFILE"]);
  if (fromEnvironment !== undefined && named !== undefined)
    throw new ConfigError(
      `Profile "${named}" is named, and ${ENVIRONMENT_NAMES.join(", ")} are set too.`,
      "Use either a named profile or the four variables, never both.",
    );
  if (fromEnvironment !== undefined) return fromEnvironment;
  const file = readConfig(home);
  return namedProfile(home, env, file, named ?? file?.default_profile ?? "paper");
}

function namedProfile(home: Home, env: Environment, file: ConfigFile | undefined, name: string): Profile {
  const profiles = file?.profiles ?? {};
  // Own names only: "constructor" is one that every object has.
  const table = Object.hasOwn(profiles, name) ? profiles[name] : undefined;
  if (table !== undefined) {
    checkLabels(profiles, env);
    return profileOf(name, table, env, home);
  }
  if (name === "paper") return { ...PAPER, webhookSecrets: () => webhookSecretsOf({}, env, "the profile paper") };
  const known = ["paper", ...Object.keys(profiles)].join(", ");
  throw new ConfigError(
    `There is no profile "${name}" in ${home.config}.`,
    `Use one of: ${known}; or add [profiles.${name}].`,
  );
}

/** The operator's profile, with the tenant's own key. */
function tenantProfile(home: Home, tenant: Tenant, env: Environment, flag: string | undefined): Profile {
  if (flag !== undefined && flag !== tenant.profile)
    throw new ConfigError(
      `The tenant ${tenant.name} trades by the profile "${tenant.profile}", and "${flag}" is named.`,
      "Leave --profile out.",
    );
  const profile = namedProfile(home, env, readConfig(home), tenant.profile);
  if (profile.credentials !== undefined)
    throw new ConfigError(
      `The profile "${profile.name}" of ${home.config} has a key, and the tenant ${tenant.name} trades by it.`,
      "Give its tenants a profile without a key: each has one of its own (hoga tenants key).",
    );
  if (profile.baseUrl === undefined) return profile;
  return { ...profile, ...defined({ credentials: tenant.credentials }) };
}

/** A key under two labels would trade without the rules of one of them. Keys that a command prints are not asked for here. */
function checkLabels(profiles: Readonly<Record<string, ProfileTable>>, env: Environment): void {
  const seen = new Map<string, { readonly name: string; readonly environment: string }>();
  for (const [name, { environment, key, key_env: variable }] of Object.entries(profiles)) {
    const value = key?.reveal() ?? (variable === undefined ? undefined : env[variable]);
    if (value === undefined || value === "") continue;
    const other = seen.get(value) ?? { name, environment };
    seen.set(value, other);
    if (other.environment !== environment)
      throw new ConfigError(
        `[profiles.${other.name}] is ${other.environment} and [profiles.${name}] is ${environment}, and both have the same key.`,
        "A key belongs to one exchange: correct the environment of one of them, or give it a key of its own.",
      );
  }
}

/** All profiles by name, with the exchange of each; none where the file cannot be read. No key is read. */
export function profilesIn(home: Home): readonly Pick<Profile, "name" | "environment" | "baseUrl">[] {
  let tables: Readonly<Record<string, ProfileTable>>;
  try {
    tables = readConfig(home)?.profiles ?? {};
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
  const named = Object.entries(tables).map(([name, { environment, base_url: baseUrl }]) => ({
    name,
    environment,
    ...defined({ baseUrl }),
  }));
  return Object.hasOwn(tables, "paper") ? named : [{ name: PAPER.name, environment: PAPER.environment }, ...named];
}

/** Who reads. A file that cannot be used is refused where a profile is loaded; nothing fails for its words, least of all a halt. */
export function readerIn(home: Home, env: Environment): ReaderInForce {
  let file: ReaderSettings | undefined;
  try {
    file = readConfig(home);
  } catch {
    file = undefined;
  }
  return readerOf(env, file);
}

/** Tells how callers over HTTP are told apart. @throws ConfigError naming the setting and the fix */
export function httpIn(home: Home, env: Environment = {}): HttpInForce {
  return httpInForce(readConfig(home)?.http, home.config, env);
}

/** Tells where notices are sent to; undefined where nowhere. @throws ConfigError naming the setting and the fix */
export function notifyIn(home: Home, env: Environment): NotifyInForce | undefined {
  return notifyInForce(readConfig(home)?.notify, `[notify] of ${home.config}`, env);
}

/** Gives the keys that tenants' keys are sealed under, and reads nothing of them yet. @throws ConfigError where the file cannot be used */
export function masterKeysIn(home: Home, env: Environment): MasterKeys {
  return new MasterKeys(env, readConfig(home)?.tenants, home.config);
}

function nonEmpty(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}

function environmentProfile(env: Environment): Profile | undefined {
  const missing = ENVIRONMENT_NAMES.filter((name) => nonEmpty(env[name]) === undefined);
  const exchange = nonEmpty(env["HOGA_EXCHANGE"]);
  if (missing.length === ENVIRONMENT_NAMES.length && exchange !== undefined)
    throw new ConfigError(
      `HOGA_EXCHANGE is set, and ${ENVIRONMENT_NAMES.join(", ")} are not.`,
      "It goes with the four variables alone; a profile in config.toml has a setting exchange.",
    );
  if (missing.length === ENVIRONMENT_NAMES.length) return undefined;
  if (missing.length > 0)
    throw new ConfigError(
      `Of ${ENVIRONMENT_NAMES.join(", ")} some are set and ${missing.join(", ")} are not.`,
      "Set all four, or none of them.",
    );
  const table = {
    ...defined({ exchange }),
    environment: env["HOGA_ENVIRONMENT"],
    base_url: env["HOGA_BASE_URL"],
    key_env: "HOGA_API_KEY",
    secret_env: "HOGA_API_SECRET",
  };
  const parsed = profileTable.safeParse(table);
  if (parsed.success) return profileOf("environment", parsed.data, env);
  const [wrong, fix] = WRONG_VARIABLES.find(({ path }) => parsed.error.issues.some((issue) => issue.path[0] === path))
    ?.says ?? ["HOGA_BASE_URL", `It ${URL_RULE}.`];
  throw new ConfigError(`${wrong} has a value that cannot be used.`, fix);
}

const WRONG_VARIABLES = [
  { path: "environment", says: ["HOGA_ENVIRONMENT", "Set it to sandbox or live."] },
  {
    path: "exchange",
    says: ["HOGA_EXCHANGE", "Leave it out, or set it to the name of an exchange: hoga venues lists them."],
  },
] as const;

/** Keys may stand in this file, and commands that are run: it is its owner's alone. */
function readConfig(home: Home): ConfigFile | undefined {
  const text = readOwnFile(home.config, (problem) => configUnusable(home.config, problem));
  if (text === undefined) return undefined;
  const parsed = configFile.safeParse(parseToml(home.config, text));
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new ConfigError(
    `${home.config}: ${describeIssue(issue, RULES)}.`,
    "Correct this setting; nothing was started.",
  );
}

function configUnusable(path: string, problem: string): ConfigError {
  return new ConfigError(
    `${path} ${problem}.`,
    `Make it a file of yours alone, chmod 600 "${path}", or move it away. Look first at what it says: commands in it are run.`,
  );
}

function parseToml(path: string, text: string): unknown {
  try {
    return trimmed(parse(text));
  } catch (error) {
    // The parser's message quotes the line, which may hold a key: only the place is shown.
    const place = error instanceof TomlError ? ` at line ${error.line}, column ${error.column}` : "";
    throw new ConfigError(
      `${path} is not valid TOML${place}.`,
      "Correct the line; its text is not shown because it may hold a key.",
    );
  }
}

function profileOf(name: string, table: ProfileTable, env: Environment, home?: Home): Profile {
  const where = home === undefined ? "the environment" : `[profiles.${name}] of ${home.config}`;
  const { exchange = "hoga" } = table;
  const isPaper = name === PAPER.name && table.environment === PAPER.environment;
  const isEmbedded = table.base_url === undefined && (exchange === "hoga" || isPaper);
  if (exchange !== "hoga") checkSettingsOf(table, where, isEmbedded);
  if (exchange === "hoga" && table.environment === "live" && table.base_url === undefined)
    throw new ConfigError(`${where} is live but has no base_url.`, "Set base_url to the exchange's address.");
  if (table.environment === "live" && table.base_url !== undefined && isReadByOthers(table.base_url))
    throw new ConfigError(
      `${where} is live, and its base_url is http: the key is only signed with, but orders and balances would travel in the clear.`,
      "Use https; http is for an address of this machine only, such as the end of a tunnel at 127.0.0.1.",
    );
  const credentials = credentialsOf(table, env, where, exchange === "hoga" ? "base64" : "text", home?.config);
  if (isEmbedded && credentials !== undefined)
    throw new ConfigError(
      `${where} has a key but no base_url; the embedded exchange hands out its own key.`,
      "Remove the key, or set base_url.",
    );
  return {
    name,
    environment: table.environment,
    exchange,
    api: table.api ?? "open",
    unit: table.unit ?? DEFAULT_UNIT,
    modules: table.modules ?? MODULES,
    ...defined({
      baseUrl: table.base_url?.replace(/\/+$/, ""),
      credentials,
      account: table.account,
      acceptUnproven: table.accept_unproven,
      compliance: table.compliance,
      tier: table.tier,
    }),
    ...absenceOf(table, where),
    ...timingOf(table, where),
    webhookSecrets: () => webhookSecretsOf(table, env, where),
  };
}

/** Settings of the exchange that is specified have no meaning at another one. */
function checkSettingsOf(table: ProfileTable, where: string, isEmbedded: boolean): void {
  const names = ["api", "compliance", "nonce_fence", "tier", "webhook_secret", "webhook_secret_env"] as const;
  const meant: Readonly<Record<string, unknown>> = table;
  const given = names.find((name) => meant[name] !== undefined);
  if (given !== undefined)
    throw new ConfigError(
      `${where} has ${given}, which ${table.exchange} has not: it is of exchange = "hoga" alone.`,
      `Leave ${given} out.`,
    );
  const drafts = table.modules?.find((name) => TRANSFER_MODULES.some((transfer) => transfer === name));
  if (drafts !== undefined)
    throw new ConfigError(`${where} names the module ${drafts}, which ${table.exchange} has not.`, "Leave it out.");
  if (table.environment === "sandbox" && table.base_url === undefined && !isEmbedded)
    throw new ConfigError(
      `${where} is a sandbox of ${table.exchange} and has no base_url.`,
      `Start one with: hoga sandbox --as ${table.exchange}; it prints its address. Or let [profiles.${PAPER.name}] name the exchange: it carries one.`,
    );
}

/** `nonce_fence` is of earlier versions, and goes on meaning what it says: that the nonce proves something, or that nothing does. */
function absenceOf({ nonce_fence: fence }: ProfileTable, where: string): Pick<Profile, "absence" | "notices"> {
  switch (fence) {
    case undefined:
      return { absence: { by: "nonce" } };
    case true:
      return {
        absence: { by: "nonce" },
        notices: [`${where}: nonce_fence = true is not needed any more; it is so without it. Leave it out.`],
      };
    case false:
      return {
        absence: { by: "none" },
        notices: [
          `${where}: nonce_fence = false means that "not found" proves nothing at this exchange. Orders without an answer now wait for a person ` +
            "(hoga settle): they are not taken for not placed after a time any more.",
        ],
      };
    default:
      return fence satisfies never;
  }
}
