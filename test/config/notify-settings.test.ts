import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  ConfigError,
  type Environment,
  homeOf,
  loadProfile,
  type NotifyInForce,
  notifyIn,
} from "../../src/config/index.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-notify-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const SECRET = `whsec_${Buffer.alloc(32, "n").toString("base64")}`;
const OTHER = `whsec_${Buffer.alloc(32, "o").toString("base64")}`;
const URL_LINE = 'webhook_url = "https://hooks.example.com/in/a?token=b"\n';
const SECRET_LINE = `webhook_secret = "${SECRET}"\n`;

function read(text: string, env: Environment = {}): NotifyInForce | undefined {
  writeFileSync(join(dir, "config.toml"), text, { mode: 0o600 });
  return notifyIn(homeOf({ HOGA_HOME: dir }), env);
}

function refusal(text: string, env?: Environment): ConfigError {
  try {
    read(text, env);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

describe("[notify]", () => {
  it("is nothing without a file, and without its table", () => {
    expect(notifyIn(homeOf({ HOGA_HOME: dir }), {})).toBeUndefined();
    expect(read('locale = "ko"')).toBeUndefined();
  });

  it("names the receiver, a secret that does not print, all types unless some are named, and a language", () => {
    const found = read(`[notify]\n${URL_LINE}${SECRET_LINE}types = ["alert.fired"]\nlocale = "ko"`);
    expect(found).toMatchObject({
      url: "https://hooks.example.com/in/a?token=b",
      types: ["alert.fired"],
      locale: "ko",
    });
    expect(found?.secrets.map((secret) => secret.reveal())).toEqual([SECRET]);
    expect(JSON.stringify(found)).not.toContain(SECRET);
    const plain = read(`[notify]\n${URL_LINE}${SECRET_LINE}`);
    expect(plain?.types).toHaveLength(12);
    expect(plain).not.toHaveProperty("locale");
  });

  it("takes the secret from a variable, never from that of the exchange's own webhooks, and two while one is replaced", () => {
    const named = read(`[notify]\n${URL_LINE}webhook_secret_env = "MY_SECRET"`, {
      MY_SECRET: `${SECRET} ${OTHER}`,
      HOGA_WEBHOOK_SECRET: "whsec_of-the-exchange",
    });
    expect(named?.secrets.map((secret) => secret.reveal())).toEqual([SECRET, OTHER]);
  });

  it("leaves a profile as it is, and stops it where it cannot be read", () => {
    read(`[notify]\n${URL_LINE}${SECRET_LINE}`);
    const home = homeOf({ HOGA_HOME: dir });
    expect(loadProfile(home, {})).toMatchObject({ name: "paper" });
    writeFileSync(join(dir, "config.toml"), "[notify]\nwebhook_uri = 1\n", { mode: 0o600 });
    expect(() => loadProfile(home, {})).toThrow(/notify/);
  });

  it.each<[string, string, Environment?]>([
    [SECRET_LINE, "notify.webhook_url is missing"],
    [URL_LINE, "has a webhook_url and no secret"],
    [`webhook_url = "http://hooks.example.com/"\n${SECRET_LINE}`, "notify.webhook_url must be an https URL"],
    [`webhook_url = "http://127.0.0.1.example.com/"\n${SECRET_LINE}`, "notify.webhook_url must be an https URL"],
    [`webhook_url = "https://a:b@example.com/"\n${SECRET_LINE}`, "notify.webhook_url must be an https URL"],
    [`webhook_url = "https://example.com/#x"\n${SECRET_LINE}`, "notify.webhook_url must be an https URL"],
    [`${URL_LINE}webhook_secret = "hunter2-hunter2"`, "webhook_secret is not a webhook secret"],
    [`${URL_LINE}webhook_secret_env = "MY_SECRET"`, "names the variable MY_SECRET, which is not set"],
    [
      `${URL_LINE}${SECRET_LINE}webhook_secret_env = "MY_SECRET"`,
      "takes its webhook secret from",
      { MY_SECRET: OTHER },
    ],
    [`${URL_LINE}${SECRET_LINE}types = ["alert.rung"]`, "notify.types.0 must be one of"],
    [`${URL_LINE}${SECRET_LINE}types = []`, "notify.types has a value"],
    [`${URL_LINE}${SECRET_LINE}locale = "fr"`, "notify.locale must be one of"],
    [`${URL_LINE}${SECRET_LINE}retries = 3`, 'in notify, unknown setting "retries"'],
  ])("%j is refused by name, and shows no secret", (text, problem, env) => {
    const { message, fix } = refusal(`[notify]\n${text}`, env);
    expect(message).toContain(problem);
    expect(message).toContain(dir);
    expect(message + fix).not.toMatch(/hunter2|bm5u|b29v|token=b/);
  });

  it.each(["http://127.0.0.1:8080/x", "http://localhost/", "http://[::1]:9/"])(
    "takes http of this machine: %s",
    (url) => {
      expect(read(`[notify]\nwebhook_url = "${url}"\n${SECRET_LINE}`)?.url).toBe(url);
    },
  );
});
