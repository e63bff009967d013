/**
 * Starts hoga where a desktop app asked for its settings in a form. What was left empty says nothing; without exchange and key it is the
 * paper exchange. Limits go where hoga reads them, `policy.toml`: they hold for every hoga of this person, as a form of one app cannot.
 *
 * Invariants: a policy that a person wrote is never changed, nor trade begun beside it under other limits than the form shows.
 *
 * Source: decision 0096.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { homeOf } from "../src/config/index.ts";
import { CARDS } from "../src/venues/index.ts";

const MARK =
  "# Written by the settings of hoga's desktop extension. Change them there; or take this line away, and this file is yours.\n";
const LIMITS = { max_order_krw: "HOGA_EXTENSION_MAX_ORDER_KRW", max_day_krw: "HOGA_EXTENSION_MAX_DAY_KRW" } as const;
const KEY = ["HOGA_EXCHANGE", "HOGA_API_KEY", "HOGA_API_SECRET"] as const;

class UnusableSettings extends Error {}

/** Nothing where the form was left empty; some apps then leave the placeholder in its place. */
function given(name: string): string | undefined {
  const text = process.env[name]?.trim() ?? "";
  return text === "" || text.startsWith("${user_config.") ? undefined : text;
}

/** Sets the four variables of a profile, or none of them. */
function setProfile(): void {
  const missing = KEY.filter((name) => given(name) === undefined);
  if (missing.length === 0) {
    const name = given("HOGA_EXCHANGE")?.toLowerCase();
    const [host] = CARDS.find((card) => card.name === name)?.hosts ?? [];
    if (name === undefined || host === undefined)
      throw new UnusableSettings(`Exchange has to be one of ${known()}, or empty for paper money.`);
    Object.assign(process.env, { HOGA_EXCHANGE: name, HOGA_BASE_URL: `https://${host}`, HOGA_ENVIRONMENT: "live" });
    return;
  }
  if (missing.length < KEY.length)
    throw new UnusableSettings(
      "Exchange, API key and API secret go together: fill in all three, or none for paper money.",
    );
  for (const name of KEY) delete process.env[name];
}

const known = (): string =>
  CARDS.filter(({ hosts }) => hosts.length > 0)
    .map(({ name }) => name)
    .join(", ");

function setPolicy(): void {
  const { dir, policy } = homeOf(process.env);
  const limits = Object.entries(LIMITS).flatMap(([name, variable]) => {
    const sum = given(variable);
    if (sum !== undefined && !/^[1-9]\d{0,14}$/.test(sum))
      throw new UnusableSettings("Largest order and most in 24 hours are whole won, in digits alone, such as 100000.");
    return sum === undefined ? [] : [`${name} = "${sum}"\n`];
  });
  const found = existsSync(policy) ? readFileSync(policy, "utf8") : undefined;
  const isOurs = found?.startsWith(MARK) === true;
  if (found !== undefined && !isOurs) {
    if (limits.some((line) => !found.includes(line)))
      throw new UnusableSettings(
        `${policy} is your own and has other limits: change them there, and leave these two settings empty.`,
      );
    return;
  }
  const text = `${MARK}${limits.join("")}`;
  if (found === text || (found === undefined && limits.length === 0)) return;
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  // There whole, or as it was: another hoga may read it at this moment.
  const part = join(dirname(policy), `policy.toml.${process.pid}.part`);
  writeFileSync(part, text, { mode: 0o600, flag: "wx" });
  renameSync(part, policy);
}

try {
  setProfile();
  setPolicy();
  if (given("HOGA_LOCALE") === undefined) delete process.env["HOGA_LOCALE"];
  const program = join(import.meta.dirname, "dist", "cli.js");
  process.argv = [process.execPath, program, "serve"];
  // Lies beside it in the bundle, and not here.
  const cli: string = "./dist/cli.js";
  await import(cli);
} catch (error) {
  if (!(error instanceof UnusableSettings)) throw error;
  process.stderr.write(`hoga: ${error.message}\n`);
  process.exitCode = 1;
}
