import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
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
    ['isuer = "https://a.example"', 'unknown setting "isuer"'],
  ])("%j is refused by name", (text, problem) => {
    const { message, fix } = refusal(text);
    expect(message).toContain(problem);
    expect(message).toContain(join(dir, "config.toml"));
    expect(fix).not.toBe("");
  });
});
