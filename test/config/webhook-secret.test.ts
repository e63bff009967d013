import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError, homeOf, loadProfile, type Profile, scrubber } from "../../src/config/index.ts";
import { leaksIn } from "../fixture/canary.ts";

const secretOf = (letter: string): string => `whsec_${Buffer.alloc(32, letter).toString("base64")}`;
const [IN_FILE, IN_VARIABLE, OWN] = ["f", "v", "o"].map(secretOf) as [string, string, string];

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-webhook-secret-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

function profileWith(settings: Readonly<Record<string, string>>, env = {}): Profile {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const text = ["[profiles.desk1]", 'environment = "sandbox"', 'base_url = "http://127.0.0.1:1"', ...lines].join("\n");
  writeFileSync(join(dir, "config.toml"), text, { mode: 0o600 });
  return loadProfile(homeOf({ HOGA_HOME: dir }), env, "desk1");
}

const secretsOf = (settings: Readonly<Record<string, string>>, env = {}): readonly string[] =>
  profileWith(settings, env)
    .webhookSecrets()
    .map((secret) => secret.reveal());

function refusal(settings: Readonly<Record<string, string>>, env = {}): string {
  try {
    secretsOf(settings, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const shown = inspect(error, { showHidden: true, depth: 9 }) + error.fix + JSON.stringify(error);
    expect(leaksIn(shown, [IN_FILE, IN_VARIABLE, OWN])).toEqual([]);
    return error.message;
  }
  throw new Error("nothing was refused");
}

describe("the webhook secret of a profile", () => {
  it("is HOGA_WEBHOOK_SECRET, webhook_secret, or the variable that webhook_secret_env names", () => {
    expect(secretsOf({})).toEqual([]);
    expect(secretsOf({}, { HOGA_WEBHOOK_SECRET: "" })).toEqual([]);
    expect(secretsOf({}, { HOGA_WEBHOOK_SECRET: OWN })).toEqual([OWN]);
    expect(secretsOf({ webhook_secret: IN_FILE })).toEqual([IN_FILE]);
    expect(secretsOf({ webhook_secret_env: "V" }, { V: IN_VARIABLE })).toEqual([IN_VARIABLE]);
    expect(secretsOf({ webhook_secret_env: "HOGA_WEBHOOK_SECRET" }, { HOGA_WEBHOOK_SECRET: OWN })).toEqual([OWN]);
  });

  it("is there for the paper profile too, which has no settings", () => {
    const paper = loadProfile(homeOf({ HOGA_HOME: dir }), { HOGA_WEBHOOK_SECRET: OWN });
    expect(paper.webhookSecrets().map((secret) => secret.reveal())).toEqual([OWN]);
  });

  it("may be two while one is replaced", () => {
    expect(secretsOf({ webhook_secret: `${IN_FILE} ${OWN}` })).toEqual([IN_FILE, OWN]);
  });

  it("comes from one place, and both are named where there are two", () => {
    expect(refusal({ webhook_secret: IN_FILE }, { HOGA_WEBHOOK_SECRET: OWN })).toMatch(
      /HOGA_WEBHOOK_SECRET and from webhook_secret/,
    );
    expect(refusal({ webhook_secret: IN_FILE, webhook_secret_env: "V" }, { V: IN_VARIABLE })).toMatch(
      /webhook_secret and from the variable V/,
    );
  });

  it("is refused without being shown when it is none, and so is a variable that is not set", () => {
    expect(refusal({ webhook_secret: IN_FILE.slice(6) })).toMatch(/webhook_secret is not a webhook secret/);
    expect(refusal({}, { HOGA_WEBHOOK_SECRET: `${OWN}\n` })).toMatch(/HOGA_WEBHOOK_SECRET is not a webhook secret/);
    expect(refusal({ webhook_secret: `${IN_FILE} ` })).toMatch(/not a webhook secret/);
    expect(refusal({ webhook_secret_env: "V" })).toMatch(/the variable V, which is not set/);
  });

  it("keeps no command that receives none from starting", () => {
    expect(profileWith({ webhook_secret_env: "V" }).name).toBe("desk1");
    expect(profileWith({}, { HOGA_WEBHOOK_SECRET: "wrong" }).name).toBe("desk1");
  });

  it("does not print, and is taken out of what leaves", () => {
    const [secret] = profileWith({ webhook_secret: IN_FILE }).webhookSecrets();
    expect([String(secret), JSON.stringify(secret), inspect(secret)].join()).not.toContain(IN_FILE);
    expect(scrubber.text(`it said ${IN_FILE}.`)).toBe("it said [secret].");
  });
});
