/** The page itself, as it was built. */
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { type IncomingHttpHeaders, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
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
  expect([index.status, index.headers["cache-control"]]).toEqual([200, "private, no-cache"]);
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

it("comes compressed to whoever takes that, once for each change, and as it is to all others", async () => {
  const { http } = await startConsole(exchange);
  const { origin, cookie } = await Browser.open(http.pageLink());
  const get = async (path: string, headers: Readonly<Record<string, string>>) => {
    const answer = await fetchRaw(`${origin}${path}`, { cookie, ...headers });
    return { ...answer, etag: String(answer.headers["etag"]) };
  };
  const index = await get("/", {});
  const [, script = ""] = /src="\.(\/assets\/[^"]+\.js)"/.exec(index.body.toString()) ?? [];
  for (const path of ["/", script]) {
    const plain = await get(path, { "accept-encoding": "br, gzip;q=0, identity" });
    const packed = await get(path, { "accept-encoding": "br, gzip;q=0.5" });
    expect([plain.headers["content-encoding"], packed.headers["content-encoding"]]).toEqual([undefined, "gzip"]);
    expect(gunzipSync(packed.body).equals(plain.body)).toBe(true);
    for (const { headers, body } of [plain, packed]) {
      expect(headers).toMatchObject({ vary: "Accept-Encoding", "content-length": String(body.length) });
      expect(headers["content-security-policy"]).toContain("default-src 'none'");
    }
    expect(packed.etag).not.toBe(plain.etag);
    const asked = (etag: string) => get(path, { "accept-encoding": "gzip", "if-none-match": etag });
    const same = await asked(`"other", W/${packed.etag}`);
    expect([same.status, same.body.length, same.etag]).toEqual([304, 0, packed.etag]);
    expect((await asked('"other"')).status).toBe(200);
    expect((await asked(plain.etag)).status).toBe(200);
    // Known or not: whoever is not signed in is told nothing.
    expect((await get(path, { cookie: "", "if-none-match": packed.etag })).status).toBe(401);
  }
  expect((await get(script, { "accept-encoding": "gzip" })).body.length).toBeLessThan(200_000 / 2);
});

interface Raw {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** As it travels. */
function fetchRaw(url: string, headers: Readonly<Record<string, string>>): Promise<Raw> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { connection: "close", ...headers } }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    });
    asked.on("error", reject).end();
  });
}

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
