/** Views are for clients that show them, and what goes to a view no model is shown. */
import { gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { openWorld, type SeatOptions, type World } from "../fixture/desk-over-sandbox.ts";
import { changeablePolicy, LOOSE } from "../fixture/policy.ts";
import { connect, ERAS, type Era, type TestClient } from "./client.ts";

const SHOWS_VIEWS = {
  extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html;profile=mcp-app"] } },
};
const VIEWS = {
  get_orderbook: "ui://hoga/orderbook",
  get_portfolio: "ui://hoga/portfolio",
  preview_order: "ui://hoga/order-ticket",
};
const ORDER = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };
const PAGE_BYTES_MAX = 60_000;

/** No two of the orders are alike, as the second would be taken for the first. */
let orders = 0;
const another = (userref: string) => {
  orders += 1;
  return { ...ORDER, base_volume: `0.001${orders}`, userref };
};

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

async function opened(era: Era, capabilities?: object, options: SeatOptions = {}): Promise<TestClient> {
  const policy = changeablePolicy({ ...LOOSE, mode: "confirm", approveBy: ["client", "pin"] });
  const { desk } = await world.seat({ patient: true, policy, ...options });
  const reader = { locale: "ko", timeZone: "Asia/Seoul" } as const;
  return connect(era, createMcpServer({ desk, reader, version: "0.0.0" }), capabilities);
}

interface Whole {
  readonly content: unknown;
  readonly structuredContent: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

const whole = async ({ raw }: TestClient, call: object): Promise<Whole> =>
  (await raw.callTool(call as Parameters<TestClient["raw"]["callTool"]>[0])) as unknown as Whole;

/** Of a tool or a result, as far as it is ours. */
const ours = (tool: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries((tool as { _meta?: object })._meta ?? {}).filter(
      ([name]) => name === "ui" || name.startsWith("hoga/"),
    ),
  );

describe.each(ERAS)("a client of %s", (era) => {
  it("is told of the views where it shows them, and of nothing else", async () => {
    const client = await opened(era, SHOWS_VIEWS);
    const plain = await opened(era);
    const others = await opened(era, { extensions: { "io.modelcontextprotocol/ui": { mimeTypes: ["text/html"] } } });
    const [shown, ...unshown] = await Promise.all([client, plain, others].map(async (each) => each.listTools()));
    const links = Object.fromEntries(
      (shown ?? []).flatMap((tool) => {
        const { ui } = ours(tool) as { ui?: { resourceUri: string } };
        return ui === undefined ? [] : [[tool.name, ui.resourceUri]];
      }),
    );
    expect(links).toEqual(VIEWS);
    const withoutLinks = shown?.map(({ name, ...tool }) => ({ name, ...tool, _meta: undefined }));
    for (const tools of unshown) {
      expect(tools.map(ours).every((meta) => Object.keys(meta).length === 0)).toBe(true);
      expect(tools.map((tool) => ({ ...tool, _meta: undefined }))).toEqual(withoutLinks);
    }
    const { resources } = await client.raw.listResources();
    expect(resources.filter(({ uri }) => uri.startsWith("ui:"))).toEqual([]);
    const preview = { name: "preview_order", arguments: ORDER };
    expect(ours(await whole(plain, preview))).toEqual({});
    expect(ours(await whole(client, { name: "get_ticker", arguments: { symbols: ["BTC/KRW"] } }))).toEqual({});
    expect(ours(await whole(client, preview))).toEqual({
      "hoga/reader": { locale: "ko", timeZone: "Asia/Seoul" },
      "hoga/ticket": expect.any(String),
    });
    await Promise.all([client, plain, others].map((each) => each.close()));
  });

  it("reads each view as one page that may load nothing", async () => {
    const client = await opened(era, SHOWS_VIEWS);
    for (const uri of Object.values(VIEWS)) {
      const { contents } = await client.raw.readResource({ uri });
      const [page] = contents as readonly { mimeType: string; text: string; _meta: object }[];
      expect(page).toMatchObject({ mimeType: "text/html;profile=mcp-app" });
      expect(page?._meta).toEqual({ ui: { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true } });
      const text = page?.text ?? "";
      expect(text).toContain(`<body data-view="${uri.split("/").at(-1)}">`);
      expect(text).toMatch(/content="default-src 'none'; script-src 'sha256-[^ ]+'; style-src 'sha256-[^ ]+'; /);
      expect(text).not.toMatch(/<(link|img|iframe|script src)|@import|url\(/);
      expect(gzipSync(text).length).toBeLessThan(PAGE_BYTES_MAX);
    }
    await client.close();
  });

  it("presses the button with what no model is shown and none can write", async () => {
    const client = await opened(era, SHOWS_VIEWS);
    const order = another(`pressed-${era}`);
    const preview = await whole(client, { name: "preview_order", arguments: order });
    const { draft_id } = preview.structuredContent;
    const ticket = preview._meta?.["hoga/ticket"] as string;
    expect(JSON.stringify([preview.content, preview.structuredContent])).not.toContain(ticket);
    const press = (args: object, meta?: object) =>
      whole(client, { name: "place_order", arguments: args, ...(meta && { _meta: meta }) });
    // What a model can send.
    for (const field of ["ticket", "hoga/ticket", "_meta"])
      expect((await press({ draft_id, [field]: ticket })).structuredContent).toMatchObject({ state: "denied" });
    expect((await press({ draft_id })).structuredContent).toMatchObject({ state: "awaiting_approval" });
    const forged = await press({ draft_id }, { "hoga/ticket": `${ticket}x` });
    expect(forged.structuredContent).toMatchObject({ error: { code: "ELocal:Approval mismatch" } });
    const placed = await press({ draft_id }, { "hoga/ticket": ticket });
    expect(placed.structuredContent).toMatchObject({ outcome: "accepted", state: "open" });
    await client.close();
  });

  it("cannot say yes by a press for another connection, without views, or where money may be real", async () => {
    const [client, other, plain] = [await opened(era, SHOWS_VIEWS), await opened(era, SHOWS_VIEWS), await opened(era)];
    const live = await opened(era, SHOWS_VIEWS, { forRealMoney: true });
    const placing = async (by: TestClient, from: TestClient, userref: string) => {
      const preview = await whole(from, {
        name: "preview_order",
        arguments: another(`${userref}-${era}`),
      });
      const args = { draft_id: preview.structuredContent["draft_id"] };
      return (await whole(by, { name: "place_order", arguments: args, _meta: { ...preview._meta } })).structuredContent;
    };
    expect(await placing(other, client, "other")).toMatchObject({ error: { code: "ELocal:Approval mismatch" } });
    expect(await placing(plain, client, "plain")).toMatchObject({ state: "awaiting_approval" });
    const waiting = await placing(live, live, "live");
    expect(waiting).toMatchObject({ outcome: "not_sent" });
    expect(["awaiting_approval", "denied"]).toContain(waiting["state"]);
    await Promise.all([client, other, plain, live].map((each) => each.close()));
  });
});
