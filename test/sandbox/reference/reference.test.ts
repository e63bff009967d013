/** The page and the descriptions the exchange serves about itself, as a browser and a newcomer meet them. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { runInNewContext } from "node:vm";
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
import { type Reply, send } from "../http/signed-client.ts";

/** An API as the page hands it to the viewer. */
interface Shown {
  readonly title: string;
  readonly slug: string;
  readonly url?: string;
  readonly servers?: readonly { readonly url: string }[];
  readonly content?: { readonly info: { readonly description: string } };
}

let sandbox: Sandbox;
let page: Reply;
let shown: readonly Shown[];
/** The guide, which is Markdown. */
let guide: string;
const defects: unknown[] = [];

beforeAll(async () => {
  sandbox = await startSandbox({ onDefect: (error) => defects.push(error) });
  page = await send(sandbox.baseUrl, "GET", "/");
  const script = await send(sandbox.baseUrl, "GET", "/reference/page.js");
  const Scalar = {
    createApiReference: (_element: string, apis: readonly Shown[]) => {
      shown = apis;
    },
  };
  runInNewContext(script.text, { Scalar, location: { origin: sandbox.baseUrl } });
  guide = shown.find(({ slug }) => slug === "start")?.content?.info.description ?? "";
});

afterAll(async () => {
  await sandbox.close();
  expect(defects).toEqual([]);
});

/** The programs of the guide, under their titles, as a person would copy them. */
function programs(): ReadonlyMap<string, string> {
  const found = guide.matchAll(/^### (.+)\n\n```js\n([\s\S]+?)\n```$/gm);
  return new Map([...found].map(([, title = "", program = ""]) => [title, program]));
}

const code = (text: string): string => `\`${text}\``;

describe("the page at the exchange's address", () => {
  it("lists every operation, channel, webhook type, fault and version", async () => {
    expect(page.status).toBe(200);
    expect(page.headers["content-type"]).toBe("text/html; charset=utf-8");
    const served = await Promise.all(
      shown.flatMap(({ url }) => (url === undefined ? [] : [send(sandbox.baseUrl, "GET", url)])),
    );
    const calls = served.flatMap(({ json }) =>
      Object.entries<object>(json.paths ?? {}).flatMap(([path, item]) =>
        Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
      ),
    );
    const rows = [
      ...ENDPOINT_IDS.map((id) => ENDPOINTS[id]),
      ...ALIAS_ENDPOINT_IDS.map((id) => ALIAS_ENDPOINTS[id]),
      ...TRANSFER_ENDPOINT_IDS.map((id) => TRANSFER_ENDPOINTS[id]),
    ];
    const wanted = rows.map(({ method, path }) => `${method} ${path}`);
    expect(wanted.filter((call) => !calls.includes(call))).toEqual([]);
    const paths = calls.map((call) => call.split(" ")[1]);
    expect(TRADING_OPERATION_IDS.map(tradingPath).filter((path) => !paths.includes(path))).toEqual([]);
    const events = served.find(({ json }) => json.asyncapi !== undefined)?.json;
    expect(Object.keys(events.operations)).toEqual(expect.arrayContaining([...PUBLIC_CHANNELS, ...PRIVATE_CHANNELS]));
    expect(Object.keys(events.channels.webhooks.messages)).toEqual([...WEBHOOK_TYPES]);
    const parts = [...FAULT_CODES.map((fault) => code(fault)), ...VERSIONS.map(({ version }) => code(version))];
    expect(parts.filter((part) => !guide.includes(part))).toEqual([]);
    expect(REFERENCE_NAMES.filter((name) => !page.text.includes(`href="/reference/${name}"`))).toEqual([]);
  });

  it("says what a call costs and what its key needs, and what it takes", async () => {
    const { json } = await send(sandbox.baseUrl, "GET", "/reference/openapi.json");
    const order = json.paths["/v1/orders"].post;
    expect(order.description).toBe('Private: the key needs the permission "trade". Weight 1.');
    expect(order.responses["422"].description).toContain("EOrder:Insufficient funds");
    expect(order.requestBody.content["application/json"].schema.$ref).toContain("CreateOrder");
  });

  it("says of every operation of the drafts that it is one, and of no other", async () => {
    const drafts = await Promise.all(
      shown.map(async ({ url = "/reference/page.js" }) => {
        const { text } = await send(sandbox.baseUrl, "GET", url);
        return text.match(/"description": "Draft\. /g)?.length ?? 0;
      }),
    );
    const ofTransfers = shown.findIndex(({ title }) => title === "Payment API and Remittance API (drafts)");
    expect(drafts).toEqual(shown.map((_, index) => (index === ofTransfers ? TRANSFER_ENDPOINT_IDS.length : 0)));
  });

  it("may load and run only scripts of this server, and may connect to no other", async () => {
    const policy =
      "default-src 'none'; script-src 'self'; style-src 'unsafe-inline'; connect-src 'self'; img-src data:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    expect(page.headers["content-security-policy"]).toBe(policy);
    expect(page.headers["x-content-type-options"]).toBe("nosniff");
    expect(page.text).not.toMatch(/<script>|<script src="(?!\/reference\/)|<img|<iframe|\sstyle=|\son\w+=/i);
    expect(page.text).not.toMatch(/(src|href)="(?!\/reference\/|data:,")/);
    expect(shown).not.toHaveLength(0);
    for (const api of shown) {
      const { title, slug, url = "/", servers = [] } = api;
      expect([title, slug]).not.toContain("");
      expect(url).toMatch(/^\//);
      expect(servers).toEqual(url.includes("asyncapi") ? [] : [{ url: sandbox.baseUrl }]);
      expect(api).toMatchObject({
        ...{ telemetry: false, withDefaultFonts: false, hideTestRequestButton: true },
        ...{ agent: { disabled: true }, mcp: { disabled: true } },
      });
    }
  });

  it("has no broken link, and no description twice", async () => {
    expect(new Set(shown.map(({ slug }) => slug)).size).toBe(shown.length);
    const targets = [...`${page.text}${guide}`.matchAll(/(?:(?:href|src)="|\]\()(\/[^")]*)/g)].map(
      ([, target = ""]) => target,
    );
    const places = targets.flatMap((target) => /^\/\?api=(.+)$/.exec(target)?.[1] ?? []);
    expect(places).toEqual(shown.map(({ slug }) => slug).filter((slug) => slug !== "start"));
    const replies = await Promise.all(targets.map((target) => send(sandbox.baseUrl, "GET", target)));
    expect(replies.map(({ status }) => status)).toEqual(targets.map(() => 200));
  });

  it("comes with its viewer", async () => {
    const viewer = await send(sandbox.baseUrl, "GET", "/reference/viewer.js");
    expect([viewer.status, viewer.headers["content-type"]]).toEqual([200, "text/javascript; charset=utf-8"]);
    expect(viewer.text).toContain("createApiReference");
  });

  it("contains no secret", () => {
    const whole = `${page.text}${JSON.stringify(shown)}`;
    expect(whole).not.toContain(sandbox.apiKey);
    expect(whole).not.toContain(sandbox.apiSecret);
  });

  it("answers HEAD without the text, and refuses other methods than GET", async () => {
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

describe("a program in the guide", () => {
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

  it("accepts genuine webhooks and refuses others, by the published vectors", async () => {
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

  it("shows messages that the stream understands", () => {
    const lines = (/```json\n([\s\S]+?)\n```/.exec(guide)?.[1] ?? "").split("\n");
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(STREAM_OPS.subscribe.safeParse(JSON.parse(line)).success).toBe(true);
  });
});
