/** The page itself, as it was built. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { builtConsole, consoleFiles } from "../../../src/serve/console/console-files.ts";
import { type ExchangeFixture, startExchange } from "../../fixture/exchange.ts";
import { ask, Browser, startConsole } from "./console-server.ts";

let exchange: ExchangeFixture;

beforeAll(async () => {
  exchange = await startExchange();
});
afterAll(() => exchange.close());

it("is served to who has signed in, with all that it loads, and may load nothing from elsewhere", async () => {
  expect(builtConsole(), "npm run bundle").toBeDefined();
  const { http } = await startConsole(exchange);
  const { origin, cookie } = await Browser.open(http.pageLink());
  const index = await ask(origin, { headers: { cookie } });
  expect([index.status, index.headers["cache-control"]]).toEqual([200, "no-store"]);
  expect(index.headers).toMatchObject({
    "content-security-policy": expect.stringMatching(
      /^default-src 'none'; script-src 'self'; style-src 'self'; (?!.*unsafe).*frame-ancestors 'none'/,
    ),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
  });
  expect(index.text).not.toMatch(/<style|<script(?![^>]* src=)| style=| on\w+=/);
  const paths = [...index.text.matchAll(/(?:src|href)="\.?\/?([^":]+)"/g)].map(([, path]) => path ?? "");
  expect(paths.filter((path) => path.endsWith(".js")).length).toBeGreaterThan(0);
  for (const path of paths) {
    const url = `${origin}/${path}`;
    const { status, headers, text } = await ask(url, { headers: { cookie } });
    expect([path, status]).toEqual([path, 200]);
    expect(headers["content-type"]).toMatch(/^(text\/(javascript|css)|image\/|application\/manifest)/);
    if (path.startsWith("assets/")) expect(headers["cache-control"]).toContain("immutable");
    expect(text.length).toBeGreaterThan(0);
    expect((await ask(url)).status).toBe(401);
  }
  for (const path of [
    "/index.html",
    "/assets/",
    "/assets/%2e%2e/%2e%2e/cli.js",
    "/assets/../../../cli.js",
    "/package.json",
  ])
    expect([401, 404]).toContain((await ask(`${origin}${path}`, { headers: { cookie } })).status);
});

it("serves what stood there when it began, by no other path, and says where nothing was built", () => {
  const dir = mkdtempSync(join(tmpdir(), "hoga-page-"));
  mkdirSync(join(dir, "assets"));
  for (const name of ["index.html", "assets/main-abcdefgh.js", "assets/notes.txt", "icon.svg"])
    writeFileSync(join(dir, name), "x");
  const { routes } = consoleFiles(dir);
  writeFileSync(join(dir, "later.js"), "x");
  expect(Object.keys(routes).sort()).toEqual(["/assets/main-abcdefgh.js", "/icon.svg"]);
  expect(consoleFiles(undefined).routes).toEqual({});
});
