import { chmodSync, chownSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ConfigError, type Environment, homeOf, loadProfile, MODULES } from "../../src/config/index.ts";

/** Base64, as every secret. */
const CANARY = "Y2FuYXJ5LTdmM2E5MQ==";
const QUARTET = {
  HOGA_API_KEY: "env-key",
  HOGA_API_SECRET: CANARY,
  HOGA_BASE_URL: "https://api.example.com/",
  HOGA_ENVIRONMENT: "live",
};

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-config-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const home = () => homeOf({ HOGA_HOME: dir });

function write(text: string, mode = 0o600): void {
  const path = join(dir, "config.toml");
  writeFileSync(path, text);
  chmodSync(path, mode);
}

/** The error, proven not to hold the canary anywhere one might print it. */
function refusal(env: Environment = {}, flag?: string): ConfigError {
  try {
    loadProfile(home(), env, flag);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const texts = [
      error.message,
      error.fix,
      error.stack,
      inspect(error, { showHidden: true, depth: 9 }),
      JSON.stringify(error),
    ];
    expect(texts.join("\n")).not.toContain(CANARY);
    expect(error.fix).not.toBe("");
    return error;
  }
  throw new Error("nothing was refused");
}

const desk1 = `
[profiles.desk1]
environment = "live"
base_url = "https://api.example.com"
`;

describe("which profile", () => {
  it("is paper without any configuration, and with an empty file", () => {
    const paper = {
      name: "paper",
      environment: "sandbox",
      api: "open",
      unit: "KRW",
      modules: MODULES,
      exchange: "hoga",
      absence: { by: "nonce" },
    };
    const own = ({ webhookSecrets, ...rest }: ReturnType<typeof loadProfile>) => ({
      ...rest,
      secrets: webhookSecrets(),
    });
    expect(own(loadProfile(home(), {}))).toEqual({ ...paper, secrets: [] });
    write("");
    expect(own(loadProfile(home(), { HOGA_PROFILE: "", HOGA_API_KEY: "" }))).toEqual({ ...paper, secrets: [] });
  });

  it("is the flag's, else the environment's, else the file's default", () => {
    write(
      `default_profile = "a"\n${["a", "b", "c"].map((name) => `[profiles.${name}]\nenvironment = "sandbox"`).join("\n")}`,
    );
    expect(loadProfile(home(), { HOGA_PROFILE: "b" }, "c").name).toBe("c");
    expect(loadProfile(home(), { HOGA_PROFILE: "b" }).name).toBe("b");
    expect(loadProfile(home(), {}).name).toBe("a");
  });

  it("when the one named is absent, stops the start and lists those that exist", () => {
    write(desk1);
    for (const error of [refusal({}, "desk2"), refusal({ HOGA_PROFILE: "desk2" })]) {
      expect(error.message).toContain('"desk2"');
      expect(error.fix).toContain("paper, desk1");
    }
    write('default_profile = "gone"');
    expect(refusal().message).toContain('"gone"');
    expect(refusal({}, "").message).toContain("no profile");
  });

  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])("named %s is absent like any other", (name) => {
    write(desk1);
    expect(refusal({}, name).message).toContain(`"${name}"`);
  });

  it("when the one named is absent, stops the start also with a whole key in the environment", () => {
    expect(refusal(QUARTET, "desk2").fix).toContain("never both");
    expect(refusal({ ...QUARTET, HOGA_PROFILE: "desk2" }).fix).toContain("never both");
    write(desk1);
    expect(refusal(QUARTET, "desk1").fix).toContain("never both");
  });
});

describe("the four variables", () => {
  it("make a profile together", async () => {
    write(desk1);
    const profile = loadProfile(home(), QUARTET);
    expect(profile).toMatchObject({ name: "environment", environment: "live", baseUrl: "https://api.example.com" });
    const credentials = await profile.credentials?.();
    expect(credentials?.apiKey.reveal()).toBe("env-key");
    expect(credentials?.apiSecret.reveal()).toBe(CANARY);
  });

  it.each(Object.keys(QUARTET))("are refused without %s, set or empty", (missing) => {
    for (const without of [
      { ...QUARTET, [missing]: undefined },
      { ...QUARTET, [missing]: "" },
    ]) {
      expect(refusal(without).message).toContain(`${missing} are not`);
      expect(refusal(without, "paper").message).toContain(missing);
    }
  });

  it.each(["LIVE", "true", "prod", "paper", " live"])("refuse %j as an environment", (environment) => {
    expect(refusal({ ...QUARTET, HOGA_ENVIRONMENT: environment }).message).toContain("HOGA_ENVIRONMENT");
  });

  it.each([
    `https://user:${CANARY}@example.com`,
    "ftp://example.com",
    "example.com",
    "https://",
    " https://a.b",
    `https://a.b/?k=${CANARY}`,
    `https://a.b/#${CANARY}`,
    "https://a.b/?",
  ])("refuse the base URL %j without showing it", (url) =>
    expect(refusal({ ...QUARTET, HOGA_BASE_URL: url }).message).toContain("HOGA_BASE_URL"),
  );
});

/** No header can carry the keys; the secrets are not base64. */
const NO_KEYS = [" k", "k ", "k\n", "a b", "k\u00e9", "k".repeat(257)];
const NO_SECRETS = [`${CANARY}\n`, ` ${CANARY}`, `${CANARY}=`, "not base64!", "abc"];

describe("a key that cannot be one", () => {
  it.each(NO_KEYS)("is refused by the name of its variable or setting: %j", (key) => {
    expect(refusal({ ...QUARTET, HOGA_API_KEY: key }).message).toMatch(/the variable HOGA_API_KEY is not an API key/);
    write(`${desk1}key = ${JSON.stringify(key)}\nsecret = "${CANARY}"`);
    expect(refusal({}, "desk1").message).toMatch(/desk1\] of .*: key is not an API key/);
    write(`${desk1}key_env = "A"\nsecret_env = "B"`);
    expect(refusal({ A: key, B: CANARY }, "desk1").message).toMatch(/the variable A is not an API key/);
  });

  it.each(NO_SECRETS)("is refused for its secret too, which is not shown: %j", (secret) => {
    expect(refusal({ ...QUARTET, HOGA_API_SECRET: secret }).message).toMatch(/HOGA_API_SECRET is not base64/);
    write(`${desk1}key = "k"\nsecret = ${JSON.stringify(secret)}`);
    const { message } = refusal({}, "desk1");
    expect(message).toMatch(/desk1\] of .*: secret is not base64/);
    expect(message).not.toContain(secret);
  });
});

describe("a profile of the file", () => {
  it("can say that its venue keeps no nonce rule: then nothing makes an absence final, and a notice says who decides", () => {
    write(desk1);
    expect(loadProfile(home(), {}, "desk1")).toMatchObject({ absence: { by: "nonce" } });
    expect(loadProfile(home(), {}, "desk1").notices).toBeUndefined();
    write(`${desk1}nonce_fence = true`);
    const fenced = loadProfile(home(), {}, "desk1");
    expect(fenced).toMatchObject({ absence: { by: "nonce" }, notices: [expect.stringContaining("Leave it out")] });
    write(`${desk1}nonce_fence = false`);
    const open = loadProfile(home(), {}, "desk1");
    expect(open).toMatchObject({ absence: { by: "none" }, notices: [expect.stringContaining("wait for a person")] });
    write(`${desk1}tier = "pro"`);
    expect(loadProfile(home(), {}, "desk1").tier).toBe("pro");
    write(`${desk1}tier = "gold"`);
    expect(refusal({}, "desk1").message).toContain('profiles.desk1.tier must be one of "starter", "pro", "enterprise"');
    write(`${desk1}nonce_fence = "no"`);
    expect(refusal({}, "desk1").message).toContain("profiles.desk1.nonce_fence");
  });

  it("has settings of the specified exchange alone only there, and a secret as another exchange gives it", () => {
    const upbit = `${desk1}exchange = "upbit"\n`;
    for (const setting of ['api = "open"', "nonce_fence = true", 'tier = "pro"', 'modules = ["payment"]']) {
      write(`${upbit}${setting}`);
      expect(refusal({}, "desk1").message).toMatch(/upbit has not/);
    }
    write(`${upbit}key = "k"\nsecret = "not-base64!-but_text"`);
    expect(loadProfile(home(), {}, "desk1")).toMatchObject({ exchange: "upbit", environment: "live" });
    write(`${upbit}key = "k"\nsecret = "two words"`);
    expect(refusal({}, "desk1").message).toContain("not the secret of an API key");
    write('[profiles.desk1]\nenvironment = "sandbox"\nexchange = "upbit"');
    expect(refusal({}, "desk1")).toMatchObject({ fix: expect.stringContaining("hoga sandbox --as upbit") });
    expect(refusal({ HOGA_EXCHANGE: "upbit" }).message).toContain("HOGA_EXCHANGE is set");
    expect(refusal({ ...QUARTET, HOGA_EXCHANGE: "Up bit" }).message).toContain("HOGA_EXCHANGE");
    expect(loadProfile(home(), { ...QUARTET, HOGA_EXCHANGE: "hoga" })).toMatchObject({ exchange: "hoga" });
  });

  it("waits less for an answer than usual only at an exchange on this machine", () => {
    const timed = (url: string, ms: number) =>
      write(`[profiles.desk1]\nenvironment = "sandbox"\nbase_url = "${url}"\ntiming.write_timeout_ms = ${ms}`);
    timed("http://127.0.0.1:8420", 1_000);
    expect(loadProfile(home(), {}, "desk1").writeTimeoutMs).toBe(1_000);
    timed("https://api.example.com", 14_999);
    expect(refusal({}, "desk1").message).toContain("which is for an exchange on this machine");
    timed("https://api.example.com", 60_000);
    expect(loadProfile(home(), {}, "desk1").writeTimeoutMs).toBe(60_000);
    timed("http://127.0.0.1:8420", 999);
    expect(refusal({}, "desk1").message).toContain("write_timeout_ms");
  });

  it.each(["https://a.b/?a=1", "https://a.b/#x", `https://u:${CANARY}@a.b`])("refuses the address %j", (url) => {
    write(`[profiles.desk1]\nenvironment = "live"\nbase_url = "${url}"`);
    expect(refusal({}, "desk1").message).toMatch(/profiles\.desk1\.base_url must be .* no user, password, query/);
  });

  it("has its key in the file, or in variables that it names", async () => {
    write(`${desk1}key = "k"\nsecret = "${CANARY}"\nmodules = ["market"]`);
    expect(loadProfile(home(), {}, "desk1")).toMatchObject({ baseUrl: "https://api.example.com", modules: ["market"] });
    write(`${desk1}key_env = "A"\nsecret_env = "B"`);
    const credentials = await loadProfile(home(), { A: "k", B: CANARY }, "desk1").credentials?.();
    expect(credentials?.apiKey.reveal()).toBe("k");
  });

  it.each([
    ["two sources", `key = "k"\nsecret = "${CANARY}"\nkey_env = "A"`, /two sources/],
    ["two halves from two sources", `key = "k"\nsecret_env = "B"`, /two sources/],
    ["a key without its secret", `key = "${CANARY}"`, /half of a key/],
    ["a secret without its key", `secret = "${CANARY}"`, /half of a key/],
    ["half of the variables", `key_env = "A"`, /half of a key/],
    ["a variable that is not set", `key_env = "A"\nsecret_env = "MISSING"`, /MISSING, which is not set/],
    ["an unknown setting", 'kee = "x"', /profiles\.desk1.*unknown setting "kee"/],
    ["an api that is not served", 'api = "fix"', /profiles\.desk1\.api must be one of "open", "trading"/],
    ["a module that is none", 'modules = ["trade", "everything"]', /profiles\.desk1\.modules/],
    ["no module", "modules = []", /profiles\.desk1\.modules/],
    ["a number for a text", "key = 5", /profiles\.desk1\.key/],
    [
      "half of the compliance fields",
      '[profiles.desk1.compliance]\nkyc_level = "TIER2"',
      /compliance\.vasp_purpose_code/,
    ],
    ["an unknown compliance field", '[profiles.desk1.compliance]\nlevel = "TIER2"', /compliance/],
  ])("refuses %s by name", (_, lines, message) => {
    write(desk1 + lines);
    expect(refusal({ A: "k" }, "desk1").message).toMatch(message);
  });

  it("names the API it speaks, with the compliance fields its orders need", () => {
    const compliance = {
      vasp_purpose_code: "P2B_TRADE",
      originator_vasp_id: "VASP-KR-1",
      kyc_level: "TIER2",
      settlement_mode: "INSTANT_KRW",
    };
    const lines = Object.entries(compliance).map(([name, value]) => `${name} = "${value}"`);
    write(`${desk1}api = "trading"\n[profiles.desk1.compliance]\n${lines.join("\n")}`);
    expect(loadProfile(home(), {}, "desk1")).toMatchObject({ api: "trading", compliance });
    write(desk1);
    expect(loadProfile(home(), {}, "desk1").api).toBe("open");
  });

  it("needs an address when it is live, and when it has a key", () => {
    write('[profiles.desk1]\nenvironment = "live"');
    expect(refusal({}, "desk1").message).toMatch(/live but has no base_url/);
    write(`[profiles.desk1]\nenvironment = "sandbox"\nkey = "k"\nsecret = "${CANARY}"`);
    expect(refusal({}, "desk1").message).toMatch(/key but no base_url/);
  });

  it.each(["http://api.example.com", "http://192.0.2.1:8080/x", "http://127.0.0.1.example.com", "http://0.0.0.0"])(
    "refuses to be live at %s: others could read along",
    (address) => {
      write(`[profiles.desk1]\nenvironment = "live"\nbase_url = "${address}"`);
      const { message, fix } = refusal({}, "desk1");
      expect(message).toMatch(/http: .*orders and balances would travel in the clear/);
      expect(fix).toContain("https");
      expect(refusal({ ...QUARTET, HOGA_BASE_URL: address }).message).toContain("in the clear");
    },
  );

  it.each(["http://127.0.0.1:8080", "http://localhost/x", "http://[::1]:1", "http://127.9.9.9"])(
    "may be live at %s, which is this machine",
    (address) => {
      write(`[profiles.desk1]\nenvironment = "live"\nbase_url = "${address}"`);
      expect(loadProfile(home(), {}, "desk1").baseUrl).toBe(address);
    },
  );

  it("may be anywhere when it is a sandbox", () => {
    write('[profiles.desk1]\nenvironment = "sandbox"\nbase_url = "http://192.0.2.1:8420"');
    expect(loadProfile(home(), {}, "desk1").baseUrl).toBe("http://192.0.2.1:8420");
  });

  it.each(["", 'environment = "Live"', 'environment = ""', "environment = true"])(
    "refuses the environment %j",
    (line) => {
      write(`[profiles.desk1]\nbase_url = "https://a.example"\n${line}`);
      expect(refusal({}, "desk1").message).toContain("profiles.desk1.environment");
    },
  );

  it("is refused for a mistake in a profile that is not even used", () => {
    write(`${desk1}nonsense = 1`);
    expect(refusal({}, "paper").message).toContain('"nonsense"');
    write('colour = "red"');
    expect(refusal().message).toContain('unknown setting "colour"');
  });
});

describe("a file that cannot be used", () => {
  it.each([
    ["an open string", `a = 1\nsecret = "${CANARY}`, "line 2"],
    ["two values", `secret = "${CANARY}" "x"`, "line 1"],
    ["a bare word", `secret = ${CANARY}`, "line 1"],
    ["a key twice", `secret = "a"\nsecret = "${CANARY}"`, "line 2"],
    ["a broken table", `[profiles.desk1\nsecret = "${CANARY}"`, "line 1"],
  ])("when it has %s, shows line and column, and nothing of the text", (_, text, line) => {
    write(text);
    const error = refusal();
    expect(error.message).toMatch(/not valid TOML at line \d+, column \d+\.$/);
    expect(error.message).toContain(line);
    expect(error.message).toContain(join(dir, "config.toml"));
    expect(error.cause).toBeUndefined();
  });

  it.each([0o644, 0o640, 0o604, 0o660, 0o666])("when its mode is %o, is said to be open to others", (mode) => {
    write(desk1, mode);
    expect(refusal().message).toContain(`is open to other users of this machine (mode ${mode.toString(8)})`);
    expect(refusal().fix).toContain("chmod 600");
  });

  it("because it is another user's, who would say what is run", () => {
    write(desk1);
    if (process.getuid?.() === 0) chownSync(join(dir, "config.toml"), 1234, 1234);
    else vi.spyOn(process, "geteuid").mockReturnValue((process.geteuid?.() ?? 0) + 1);
    expect(() => loadProfile({ ...homeOf({ HOGA_HOME: "/nowhere" }), config: join(dir, "config.toml") }, {})).toThrow(
      "config.toml belongs to another user.",
    );
    vi.restoreAllMocks();
  });

  it("because it is a link", () => {
    write(desk1);
    renameSync(join(dir, "config.toml"), join(dir, "elsewhere.toml"));
    symlinkSync(join(dir, "elsewhere.toml"), join(dir, "config.toml"));
    expect(refusal().message).toBe(`${join(dir, "config.toml")} is a link, and what it leads to is not used.`);
    rmSync(join(dir, "elsewhere.toml"));
    expect(refusal().message).toContain("is a link");
  });

  it("because it is a directory", () => {
    rmSync(dir, { recursive: true });
    const nested = homeOf({ HOGA_HOME: dir });
    expect(loadProfile(nested, {}).name).toBe("paper");
    dir = mkdtempSync(join(tmpdir(), "hoga-config-"));
    expect(() => loadProfile({ ...home(), config: dir }, {})).toThrow("is not a file");
  });
});
