/** The page and the descriptions the exchange serves about itself, as a browser and a newcomer meet them. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  ALIAS_ENDPOINT_IDS,
  ALIAS_ENDPOINTS,
  ENDPOINT_IDS,
  ENDPOINTS,
  FAULT_CODES,
  PRIVATE_CHANNELS,
  PUBLIC_CHANNELS,
  REFERENCE_NAMES,
  referenceDocuments,
  referenceText,
  STREAM_OPS,
  TRADING_OPERATION_IDS,
  TRANSFER_ENDPOINT_IDS,
  TRANSFER_ENDPOINTS,
  tradingPath,
  VERSIONS,
  WEBHOOK_TYPES,
  WEBHOOK_VECTORS,
} from "../../../src/contract/index.ts";
import { type Sandbox, startSandbox } from "../../../src/sandbox/index.ts";
import { code, escaped } from "../../../src/sandbox/reference/html.ts";
import { schemaTable } from "../../../src/sandbox/reference/schema-table.ts";
import { type Reply, send } from "../http/signed-client.ts";

let sandbox: Sandbox;
let page: Reply;
const defects: unknown[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({ onDefect: (error) => defects.push(error) });
  page = await send(sandbox.baseUrl, "GET", "/");
});

afterAll(async () => {
  await sandbox.close();
  expect(defects).toEqual([]);
});

/** The programs on the page, under their titles, as a person would copy them. */
function programs(): ReadonlyMap<string, string> {
  const found = page.text.matchAll(/<details><summary>([^<]+)<\/summary>\n<pre>([^<]+)<\/pre>/g);
  const plain = (text: string) => text.replace(/&#(\d+);/g, (_, point: string) => String.fromCharCode(Number(point)));
  return new Map([...found].map(([, title = "", program = ""]) => [plain(title), plain(program)]));
}

describe("the page at the exchange's address", () => {
  it("lists every operation, channel, webhook type, fault and version", () => {
    expect(page.status).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    const parts = [
      ...ENDPOINT_IDS.map((id) => `<b>${ENDPOINTS[id].method}</b> ${code(ENDPOINTS[id].path)}`),
      ...TRADING_OPERATION_IDS.map((id) => `</b> ${code(tradingPath(id))}`),
      ...ALIAS_ENDPOINT_IDS.map((id) => `<b>${ALIAS_ENDPOINTS[id].method}</b> ${code(ALIAS_ENDPOINTS[id].path)}`),
      ...TRANSFER_ENDPOINT_IDS.map(
        (id) => `<b>${TRANSFER_ENDPOINTS[id].method}</b> ${code(TRANSFER_ENDPOINTS[id].path)}`,
      ),
      ...[...PUBLIC_CHANNELS, ...PRIVATE_CHANNELS].map((channel) => `<b>${channel}</b>`),
      ...WEBHOOK_TYPES.map((type) => code(type)),
      ...FAULT_CODES.map((fault) => code(fault)),
      ...VERSIONS.map(({ version }) => code(version)),
      ...REFERENCE_NAMES.map((name) => `href="/reference/${name}"`),
    ];
    expect(parts.filter((part) => !page.text.includes(part))).toEqual([]);
  });

  it("says what a call costs and what its key needs, and what it takes", () => {
    const order = page.text.slice(page.text.indexOf("<b>POST</b> <code>/v1/orders</code>"));
    const whole = order.slice(0, order.indexOf("</details>"));
    for (const part of ["permission trade · weight 1", "EOrder:Insufficient funds", "application/json", "CreateOrder"])
      expect(whole).toContain(part);
  });

  it("says of every operation of the drafts that it is one, and of no other", () => {
    expect(page.text.match(/<small>draft · /g)).toHaveLength(TRANSFER_ENDPOINT_IDS.length);
    expect(page.text).toContain("Payment API and Remittance API (drafts)");
  });

  it("may load and run nothing but its one style", () => {
    const style = /<style>(.*)<\/style>/s.exec(page.text)?.[1] ?? "";
    const hash = createHash("sha256").update(style).digest("base64");
    expect(page.headers["content-security-policy"]).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(page.headers["x-content-type-options"]).toBe("nosniff");
    expect(page.text).not.toMatch(/<script|<link|<img|<iframe|\sstyle=|\son\w+=|(src|href)="(?!#|\/reference\/)/i);
  });

  it("has no link that leads nowhere, and no place twice", () => {
    const places = [...page.text.matchAll(/ id="([^"]+)"/g)].map(([, id]) => id);
    expect(new Set(places).size).toBe(places.length);
    const targets = [...page.text.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
    expect(targets.length).toBeGreaterThan(200);
    expect([...new Set(targets)].filter((target) => !places.includes(target))).toEqual([]);
  });

  it("tells no secret", () => {
    expect(page.text).not.toContain(sandbox.apiKey);
    expect(page.text).not.toContain(sandbox.apiSecret);
  });

  it("is the same for HEAD without its text, and only read", async () => {
    const head = await send(sandbox.baseUrl, "HEAD", "/");
    expect([head.status, head.text, head.headers["content-length"]]).toEqual([200, "", page.headers["content-length"]]);
    const posted = await send(sandbox.baseUrl, "POST", "/", {}, "x");
    expect([posted.status, posted.headers.allow, posted.json.error.code]).toEqual([
      405,
      "GET, HEAD",
      "EGeneral:Unknown method",
    ]);
  });
});

describe("the descriptions", () => {
  it.each(REFERENCE_NAMES)("serve %s as it is in the repository", async (name) => {
    const { rest, events } = await referenceDocuments();
    const document = [...rest, events].find((each) => each.name === name)?.document;
    const reply = await send(sandbox.baseUrl, "GET", `/reference/${name}`);
    expect([reply.status, reply.headers["content-type"]]).toEqual([200, "application/json"]);
    expect(document && referenceText(document)).toBe(reply.text);
  });

  it.each(["/reference/", "/reference/other.json", "/reference/../openapi.json"])("are not at %s", async (target) => {
    const reply = await send(sandbox.baseUrl, "GET", target);
    expect([reply.status, reply.json.error.code]).toEqual([404, "EGeneral:Unknown method"]);
  });
});

describe("a program on the page", () => {
  const run = async (title: string) => {
    const program = programs().get(title) ?? "";
    const env = { BASE_URL: sandbox.baseUrl, API_KEY: sandbox.apiKey, API_SECRET: sandbox.apiSecret };
    const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], { env });
    return JSON.parse(stdout) as unknown;
  };

  it("signs for the Open API", async () => {
    expect(await run("Open API: JSON, nonce in a header")).toMatchObject({ descr: { order: expect.any(String) } });
  });

  it("signs for the Trading API", async () => {
    expect(await run("Trading API: a form with the nonce in it")).toMatchObject({
      descr: { order: expect.any(String) },
    });
  });

  it("signs for the alias endpoints", async () => {
    expect(await run("Alias endpoints: a signature over the query")).toMatchObject({ balances: [{ asset: "KRW" }] });
  });

  it("tells genuine webhooks from others, by the published vectors", async () => {
    const source = programs().get("Webhooks: is a delivery genuine?") ?? "";
    const { isGenuine } = (await import(/* @vite-ignore */ `data:text/javascript,${encodeURIComponent(source)}`)) as {
      readonly isGenuine: (secret: string, headers: object, body: string, nowMs: number) => boolean;
    };
    for (const { secret, id, timestamp, body, signature } of WEBHOOK_VECTORS) {
      const headers = { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signature };
      const at = Number(timestamp) * 1000;
      expect(isGenuine(secret, headers, body, at)).toBe(true);
      expect(isGenuine(secret, { ...headers, "webhook-signature": `v1,AAAA ${signature}` }, body, at)).toBe(true);
      expect(isGenuine(secret, headers, `${body} `, at)).toBe(false);
      expect(isGenuine(secret, headers, body, at + 301_000)).toBe(false);
      expect(isGenuine(secret, {}, body, at)).toBe(false);
    }
  });

  it("says to the stream what it understands", () => {
    const said = /<pre>(\{&#34;op.+?)<\/pre>/s.exec(page.text)?.[1] ?? "";
    const lines = said.replaceAll("&#34;", '"').split("\n");
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(STREAM_OPS.subscribe.safeParse(JSON.parse(line)).success).toBe(true);
  });
});

describe("a text on the page", () => {
  it("is shown as text, whatever it is", () => {
    const evil = `<img src=x onerror="alert('&')">`;
    expect(escaped(evil)).toBe("&#60;img src=x onerror=&#34;alert(&#39;&#38;&#39;)&#34;&#62;");
    const table = schemaTable(
      {
        type: "object",
        properties: { [evil]: { type: "string", pattern: evil, description: evil } },
        required: [evil],
      },
      { place: "x", schemas: {} },
    );
    expect(table).not.toContain("<img");
  });
});
