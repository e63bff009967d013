import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError, type HttpInForce, homeOf, httpIn } from "../../src/config/index.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-http-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

function read(text: string): HttpInForce {
  writeFileSync(join(dir, "config.toml"), `[http]\n${text}`, { mode: 0o600 });
  return httpIn(homeOf({ HOGA_HOME: dir }));
}

function refusal(text: string): ConfigError {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("nothing was refused");
}

const ISSUER = 'issuer = "https://login.example.com/realms/desk"\n';
const RESOURCE = 'resource = "https://hoga.example.com/mcp"\n';

describe("[http]", () => {
  it("has nothing in it without a file, and with an empty table", () => {
    expect(httpIn(homeOf({ HOGA_HOME: dir }))).toEqual({});
    expect(read("")).toEqual({});
    expect(read('auth = "token"')).toEqual({});
  });

  it("names issuer and resource letter by letter, and the audience where that is another", () => {
    const resource = "https://hoga.example.com/mcp";
    const issuer = "https://login.example.com/realms/desk";
    expect(read(`auth = "oauth"\n${ISSUER}${RESOURCE}`)).toEqual({ oauth: { issuer, audience: resource }, resource });
    expect(read(`auth = "oauth"\naudience = "hoga"\n${ISSUER}${RESOURCE}`).oauth).toEqual({ issuer, audience: "hoga" });
  });

  it.each([
    ['auth = "basic"', 'http.auth must be one of "token", "oauth"'],
    [`auth = "oauth"\n${RESOURCE}`, "needs issuer"],
    [`auth = "oauth"\n${ISSUER}`, "needs resource"],
    [ISSUER, "[http] has issuer, and auth is not"],
    ['audience = "x"', "[http] has audience, and auth is not"],
    [`auth = "oauth"\nissuer = "http://login.example.com"\n${RESOURCE}`, "http.issuer must be an https URL"],
    [`auth = "oauth"\nissuer = "https://a:b@login.example.com"\n${RESOURCE}`, "http.issuer must be an https URL"],
    ['resource = "https://a.example/mcp?x=1"', "http.resource must be an https URL"],
    ['resource = "hoga"', "http.resource must be an https URL"],
    [`tls_cert = "cert.pem"\n${RESOURCE}`, "has one of tls_cert and tls_key"],
    ['tls_cert = "cert.pem"\ntls_key = "key.pem"', "has tls_cert and no resource"],
    [`tls_cert = "none.pem"\ntls_key = "key.pem"\n${RESOURCE}`, "the tls_cert, cannot be read (ENOENT)"],
    ['trusted_proxies = ["10.0.0.5"]', "has trusted_proxies and no resource"],
    [`trusted_proxies = []\n${RESOURCE}`, "http.trusted_proxies has a value"],
    [`trusted_proxies = ["proxy.example"]\n${RESOURCE}`, "http.trusted_proxies.0 must be an IP address"],
    [`trusted_proxies = ["10.0.0.5", "0.0.0.0/0"]\n${RESOURCE}`, "http.trusted_proxies.1 must be an IP address"],
    [`trusted_proxies = ["10.0.0.0/33"]\n${RESOURCE}`, "must be an IP address"],
    [`trusted_proxies = ["fd00::/129"]\n${RESOURCE}`, "must be an IP address"],
    ['isuer = "https://a.example"', 'unknown setting "isuer"'],
  ])("%j is refused by name", (text, problem) => {
    const { message, fix } = refusal(text);
    expect(message).toContain(problem);
    expect(message).toContain(dir);
    expect(fix).not.toBe("");
  });

  it("reads who may sign in at the console, and a secret from a file or the environment that does not print", () => {
    const oauth = `auth = "oauth"\n${ISSUER}${RESOURCE}`;
    const site = `${oauth}console_client_id = "hoga"\nconsole_subjects = ["kim", "lee"]\n`;
    expect(read(site).console).toEqual({ clientId: "hoga", subjects: ["kim", "lee"] });
    writeFileSync(join(dir, "secret"), "a-secret-of-the-client\n", { mode: 0o600 });
    const { console: found } = read(`${site}console_client_secret_file = "secret"\n`);
    expect([found?.secret?.reveal(), JSON.stringify(found)]).toEqual([
      "a-secret-of-the-client",
      expect.not.stringContaining("a-secret"),
    ]);
    writeFileSync(join(dir, "config.toml"), `[http]\n${site}console_client_secret_env = "SITE"\n`, { mode: 0o600 });
    const env = { HOGA_HOME: dir, SITE: "another-secret-of-it" };
    expect(httpIn(homeOf(env), env).console?.secret?.reveal()).toBe("another-secret-of-it");
    expect(() => httpIn(homeOf(env), {})).toThrow("SITE, the console_client_secret_env, is not set");
    chmodSync(join(dir, "secret"), 0o644);
    expect(refusal(`${site}console_client_secret_file = "secret"\n`).message).toContain("is open to other users");
    const wrong: readonly (readonly [string, string])[] = [
      ['console_client_id = "hoga"\n', "auth is not"],
      [`${oauth}console_client_id = "hoga"\n`, "no console_subjects"],
      [`${oauth}console_subjects = ["kim"]\n`, "no console_client_id"],
      [`${site}console_client_secret_file = "a"\nconsole_client_secret_env = "B"\n`, "two places"],
      [`${site.replace('"kim", "lee"', "")}`, "console_subjects"],
    ];
    for (const [text, problem] of wrong) expect(refusal(text).message).toContain(problem);
  });

  it("reads certificate and key, which lie beside the file or where they are named", () => {
    writeFileSync(join(dir, "cert.pem"), "the certificate");
    writeFileSync(join(dir, "key.pem"), "the key", { mode: 0o640 });
    const tls = { cert: "the certificate", key: "the key" };
    const text = `tls_cert = "cert.pem"\ntls_key = "${join(dir, "key.pem")}"\ntrusted_proxies = ["10.0.0.5", "fd00::/8"]\n`;
    expect(read(`${text}${RESOURCE}`)).toMatchObject({ tls, trustedProxies: ["10.0.0.5", "fd00::/8"] });
  });

  it("reads a key behind a link, as those are that renew themselves, but not through where others may write", () => {
    mkdirSync(join(dir, "archive"));
    writeFileSync(join(dir, "cert.pem"), "the certificate");
    writeFileSync(join(dir, "archive/key.pem"), "the key", { mode: 0o640 });
    symlinkSync("archive/key.pem", join(dir, "key.pem"));
    const text = `tls_cert = "cert.pem"\ntls_key = "key.pem"\n${RESOURCE}`;
    expect(read(text)).toMatchObject({ tls: { key: "the key" } });
    chmodSync(join(dir, "archive"), 0o777);
    expect(refusal(text).message).toMatch(/key\.pem, the tls_key, can be replaced by other users of this machine/);
  });

  it("refuses a key that every user can read", () => {
    writeFileSync(join(dir, "cert.pem"), "the certificate");
    writeFileSync(join(dir, "key.pem"), "the key");
    chmodSync(join(dir, "key.pem"), 0o644);
    const { message, fix } = refusal(`tls_cert = "cert.pem"\ntls_key = "key.pem"\n${RESOURCE}`);
    expect(message).toMatch(/key\.pem, the tls_key, is open to every user/);
    expect(fix).toContain("chmod o=");
  });
});
