import { generateKeyPairSync } from "node:crypto";
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError, homeOf, loadProfile, type Profile, scrubber } from "../../src/config/index.ts";
import { printedLines } from "../../src/config/keys/key-command.ts";
import { CANARY_KEY, CANARY_SECRET, leaksIn } from "../fixture/canary.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-key-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

const ENV = { PATH: process.env["PATH"] ?? "" };

function profileWith(settings: Readonly<Record<string, string>>, env = {}): Profile {
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${JSON.stringify(value)}`);
  const path = join(dir, "config.toml");
  writeFileSync(
    path,
    ["[profiles.desk1]", 'environment = "live"', 'base_url = "https://a.example"', ...lines].join("\n"),
  );
  chmodSync(path, 0o600);
  return loadProfile(homeOf({ HOGA_HOME: dir }), { ...ENV, ...env }, "desk1");
}

/** The refusal, proven to hold nothing of a secret. */
async function refusal(work: () => unknown): Promise<ConfigError> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    expect(leaksIn(inspect(error, { showHidden: true, depth: 9 }) + error.fix + JSON.stringify(error))).toEqual([]);
    expect(error.fix).not.toBe("");
    return error;
  }
  throw new Error("nothing was refused");
}

const say = (...lines: readonly string[]): string => `printf '%s\\n' ${lines.map((line) => `'${line}'`).join(" ")}`;

describe("the key of a profile", () => {
  const VALUES: Readonly<Record<string, string>> = {
    key: CANARY_KEY,
    secret: CANARY_SECRET,
    key_env: "A",
    secret_env: "B",
    key_command: say(CANARY_KEY),
    secret_command: say(CANARY_SECRET),
  };
  const names = Object.keys(VALUES);
  const sourceOf = (name: string): string => name.split("_")[1] ?? "file";
  const mixtures = names.flatMap((one) =>
    names.filter((other) => one < other && sourceOf(one) !== sourceOf(other)).map((other) => [one, other] as const),
  );

  it.each(mixtures)("refuses to come from %s and %s, and names both", async (one, other) => {
    const settings = { [one]: VALUES[one] ?? "", [other]: VALUES[other] ?? "" };
    const { message } = await refusal(() => profileWith(settings, { A: CANARY_KEY, B: CANARY_SECRET }));
    expect(message).toMatch(/^\[profiles\.desk1\] of .* takes its key from two sources: \w+ and \w+\.$/);
    expect(message).toMatch(new RegExp(`\\b${one}\\b`));
    expect(message).toMatch(new RegExp(`\\b${other}\\b`));
  });

  it("refuses to come from everywhere at once, and names every setting", async () => {
    const { message } = await refusal(() => profileWith(VALUES));
    expect(message).toContain("three sources: key, secret, key_env, secret_env, key_command and secret_command.");
  });

  it("is wanted whole", async () => {
    for (const half of ["key", "secret", "secret_command", "key_env", "secret_env"])
      expect((await refusal(() => profileWith({ [half]: VALUES[half] ?? "" }, { A: "x", B: "x" }))).message).toMatch(
        /has only half of a key/,
      );
  });

  it("does not print from the moment the file is read, also of a profile that is not used", async () => {
    const unused = "file-secret-of-another-profile";
    const path = join(dir, "config.toml");
    writeFileSync(path, `[profiles.other]\nenvironment = "sandbox"\nsecret = "${unused}"`, { mode: 0o600 });
    loadProfile(homeOf({ HOGA_HOME: dir }), {});
    expect(scrubber.text(unused)).toBe("[secret]");
  });

  it("does not print when its file is refused for something else, or it itself is no key", async () => {
    await refusal(() => profileWith({ key: `${CANARY_KEY} `, secret: CANARY_SECRET }));
    await refusal(() => profileWith({ key: "other-key", secret: `${CANARY_SECRET} `, nonsense: "x" }));
    await refusal(() => profileWith({ key_env: "A", secret_env: "B" }, { A: `${CANARY_KEY}\n`, B: CANARY_SECRET }));
    for (const value of [`${CANARY_KEY} `, `${CANARY_SECRET} `]) expect(scrubber.text(value)).not.toContain("canary");
  });
});

describe("the key from a command", () => {
  it("is in two lines, the key and the secret", async () => {
    const { credentials } = profileWith({ key_command: say(CANARY_KEY, CANARY_SECRET) });
    const { apiKey, apiSecret } = (await credentials?.()) ?? {};
    expect([apiKey?.reveal(), apiSecret?.reveal()]).toEqual([CANARY_KEY, CANARY_SECRET]);
    expect(`${apiKey}${apiSecret}`).toBe("[secret][secret]");
  });

  it("may be in one line each of two commands, whatever line break they end with, or none", async () => {
    for (const ending of ["", "\\n", "\\r\\n", "\\n\\n"]) {
      const print = (text: string) => `printf '%s${ending}' '${text}'`;
      const { credentials } = profileWith({ key_command: print(CANARY_KEY), secret_command: print(CANARY_SECRET) });
      const { apiKey, apiSecret } = (await credentials?.()) ?? {};
      expect([apiKey?.reveal(), apiSecret?.reveal()]).toEqual([CANARY_KEY, CANARY_SECRET]);
    }
  });

  it("is asked for when it is first needed, and only once", async () => {
    const log = join(dir, "log");
    const { credentials } = profileWith({ key_command: `echo run >> '${log}'; ${say(CANARY_KEY, CANARY_SECRET)}` });
    expect(() => readFileSync(log)).toThrow("ENOENT");
    await Promise.all([credentials?.(), credentials?.()]);
    await credentials?.();
    expect(readFileSync(log, "utf8")).toBe("run\n");
  });

  it.each([
    ["that fails", `${say(CANARY_SECRET)}; ${say(CANARY_SECRET)} >&2; exit 3`, /key_command ended with exit code 3\.$/],
    [
      "that there is not",
      `no-such-program-${Date.now()} '${CANARY_SECRET}'`,
      /key_command ended with exit code 127\.$/,
    ],
    ["that is killed", `echo '${CANARY_SECRET}'; kill -9 $$`, /key_command was ended by SIGKILL\.$/],
    ["that prints nothing", "true", /key_command printed 0 lines, where two are wanted/],
    ["that prints one line", say(CANARY_SECRET), /key_command printed 1 lines, where two are wanted/],
    ["that prints more", say(CANARY_KEY, CANARY_SECRET, CANARY_SECRET), /key_command printed 3 lines/],
    ["without end", `yes '${CANARY_SECRET}'`, /key_command prints far more than a key\.$/],
    [
      "with a zero in it",
      `echo '${CANARY_SECRET}\u0000'`,
      /key_command cannot be started \(ERR_INVALID_ARG_VALUE\)\.$/,
    ],
    [
      "whose first line is no key",
      say(`${CANARY_KEY} `, CANARY_SECRET),
      /first line that key_command prints is not an API key/,
    ],
    [
      "whose second line is no secret",
      say(CANARY_KEY, `${CANARY_SECRET} `),
      /second line that key_command prints is not base64/,
    ],
  ])("%s is an error that shows nothing of it", async (_, command, message) => {
    const { credentials } = profileWith({ key_command: command });
    expect((await refusal(() => credentials?.())).message).toMatch(message);
  });

  it("sees neither our stdin nor our stderr, and the environment as it is", async () => {
    const command = `cat; echo '${CANARY_SECRET}' >&2; echo "$GIVEN"; echo c2VjcmV0`;
    const { credentials } = profileWith({ key_command: command }, { GIVEN: "given-key" });
    expect((await credentials?.())?.apiKey.reveal()).toBe("given-key");
  });

  it("is waited for within limits, also when what the shell started goes on", async () => {
    const given = { shown: "key_command", count: 1, env: ENV, timeoutMs: 200 } as const;
    for (const command of ["sleep 20", "sleep 20 & sleep 20; echo x", "sleep 20 & echo x"]) {
      const beganMs = Date.now();
      const { message, fix } = await refusal(() => printedLines(command, given));
      expect(message).toBe("key_command did not end within 0.2 s.");
      expect(fix).toContain("Unlock");
      expect(Date.now() - beganMs).toBeLessThan(5_000);
    }
  });

  it("is not waited for by a process that ends", async () => {
    const ending = new AbortController();
    const { credentials } = profileWith({ key_command: "sleep 20" });
    setTimeout(() => ending.abort(), 50);
    expect((await refusal(() => credentials?.(ending.signal))).message).toContain("was not waited for");
    const late = profileWith({ key_command: "sleep 20" });
    expect((await refusal(() => late.credentials?.(ending.signal))).message).toContain("was not waited for");
  });
});

describe("a private key in a file of its own", () => {
  const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();
  const file = () => join(dir, "key.pem");
  const korbit = { exchange: "korbit", private_key_file: "key.pem" };

  it.each([
    ["in the file", { key: "k" }],
    ["in a variable", { key_env: "A" }],
    ["from a command", { key_command: say("k") }],
  ])("is what a key %s signs by, and does not print", async (_, settings) => {
    writeFileSync(file(), pem, { mode: 0o600 });
    const { credentials } = profileWith({ ...korbit, ...settings }, { A: "k" });
    expect(credentials?.signsBy).toBe("private_key");
    const { apiKey, apiSecret } = (await credentials?.()) ?? {};
    expect([apiKey?.reveal(), apiSecret?.reveal()]).toEqual(["k", pem.trim()]);
    const body = pem.split("\n")[1] ?? "";
    expect(body).toHaveLength(64);
    for (const shown of [`${apiSecret}`, scrubber.text(`echo ${body}`), inspect(credentials)])
      expect(shown).not.toContain(body.slice(20, 40));
  });

  it("is found from a home directory, and beside the file that names it", () => {
    writeFileSync(file(), pem, { mode: 0o600 });
    const there = { ...korbit, key: "k", private_key_file: "~/key.pem" };
    expect(profileWith(there, { HOME: dir }).credentials?.signsBy).toBe("private_key");
    expect(profileWith({ ...korbit, key: "k", private_key_file: file() }).credentials?.signsBy).toBe("private_key");
  });

  it("is refused where others could read it, where it is not there, and where it is none; nothing of it is shown", async () => {
    const refused = async () => (await refusal(() => profileWith({ ...korbit, key: "k" }))).message;
    expect(await refused()).toContain("is not there");
    writeFileSync(file(), pem);
    chmodSync(file(), 0o640);
    expect(await refused()).toContain("open to other users");
    chmodSync(file(), 0o600);
    const sealed = generateKeyPairSync("ed25519").privateKey.export({
      ...{ type: "pkcs8", format: "pem", cipher: "aes-256-cbc", passphrase: "p" },
    });
    const body = pem.split("\n")[1] ?? "";
    for (const wrong of [
      "",
      "text",
      sealed.toString(),
      pem.replace(body, body.slice(4)),
      pem.replaceAll("PRIVATE", "PUBLIC"),
    ]) {
      writeFileSync(file(), wrong);
      const message = await refused();
      expect(message).toContain("holds no private key of that form");
      expect(message).not.toContain(body.slice(20, 40));
    }
    rmSync(file());
    symlinkSync(join(dir, "elsewhere.pem"), file());
    expect(await refused()).toContain("is a link");
  });

  it("goes with no secret, and with one key", async () => {
    writeFileSync(file(), pem, { mode: 0o600 });
    for (const secret of ["secret", "secret_env", "secret_command"])
      expect((await refusal(() => profileWith({ ...korbit, key: "k", [secret]: "s" }))).message).toContain(
        `signs by two things: private_key_file and ${secret}`,
      );
    expect((await refusal(() => profileWith({ ...korbit, key: "k", key_env: "A" }, { A: "k" }))).message).toContain(
      "2 sources: key and key_env",
    );
    expect((await refusal(() => profileWith(korbit))).message).toContain("only half of a key");
  });
});
