/**
 * The conformance suite of the protocol's authors, over hoga's own HTTP stack: sessions, guards and token as in the product. Source: decision
 * 0038.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type HttpServing, serveOverHttp } from "../../../src/serve/index.ts";
import { freshHome } from "../../fixture/data-dir.ts";
import { addressIn, addressOf, type HttpAddress, TOKEN } from "../../fixture/http-address.ts";
import { cleanUp, start } from "../../fixture/program.ts";
import { fixtureServers } from "./fixture-server.ts";
import { findings, type Revision, requiredBy } from "./suite.ts";
import { startTokenProxy } from "./token-proxy.ts";

let stack: HttpServing;
let product: HttpAddress;
beforeAll(async () => {
  stack = await serveOverHttp({ factory: fixtureServers(), token: TOKEN, port: 0 });
  const serving = start(["serve", "--http", "--json", "--show-token", "--port", "0"], { home: freshHome() });
  product = addressIn(await serving.firstLine());
});
afterAll(async () => {
  await stack.close();
  await cleanUp();
});

const PLAIN = [
  "tools-list",
  "resources-list",
  "prompts-list",
  "server-sse-multiple-streams",
  "dns-rebinding-protection",
];

interface Expected {
  readonly revision: Revision;
  /** How many scenarios a server has to pass: one that vanishes is noticed. */
  readonly count: number;
  /** Those that are passed beyond what is required. */
  readonly recommended: readonly string[];
  /** Those that ask for nothing by name. */
  readonly plain: readonly string[];
}

const EXPECTED: readonly Expected[] = [
  {
    revision: "2025-11-25",
    count: 30,
    recommended: ["server-session-lifecycle", "server-sse-polling"],
    plain: [...PLAIN, "server-initialize", "ping", "server-session-lifecycle"],
  },
  {
    revision: "2026-07-28",
    count: 37,
    recommended: ["http-header-validation"],
    plain: [...PLAIN, "caching", "sep-2164-resource-not-found", "http-header-validation"],
  },
];

/** What is wrong with a server that only a token opens, by scenario: nothing where all pass. */
async function wrongWith(address: HttpAddress, revision: Revision, scenarios: readonly string[]) {
  const proxy = await startTokenProxy(address);
  try {
    const found = await findings(revision, proxy.url);
    const said = scenarios.map((scenario) => [scenario, found.get(scenario) ?? ["not judged"]] as const);
    return Object.fromEntries(said.filter(([, wrong]) => wrong.length > 0));
  } finally {
    await proxy.close();
  }
}

describe.each(EXPECTED)("by the requirements of $revision", ({ revision, count, recommended, plain }) => {
  it("the stack passes every scenario", async () => {
    const required = requiredBy(revision);
    expect(required).toHaveLength(count);
    expect(await wrongWith(addressOf(stack), revision, [...required, ...recommended])).toEqual({});
  });

  it("the product passes what needs no fixture", async () => {
    expect(await wrongWith(product, revision, plain)).toEqual({});
  });
});
