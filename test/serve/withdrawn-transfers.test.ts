/** Payments and remittances whose call is withdrawn: before the request has left nothing moves, and after that it counts as sent. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ok } from "../../src/contract/index.ts";
import type { TransferDesk } from "../../src/desk/index.ts";
import { createMcpServer } from "../../src/mcp/index.ts";
import { serveOverHttp } from "../../src/serve/index.ts";
import { ASKING, FREELY, TRAVEL } from "../desk/transfer/transfer-world.ts";
import { type ExchangeFixture, startExchange } from "../fixture/exchange.ts";
import { BEARER, TOKEN } from "../fixture/http-address.ts";
import { unwrap } from "../fixture/result.ts";
import { openLines, overStreams } from "../fixture/stdio-lines.ts";
import { connectHttp, connectStreams, ERAS, type TestClient } from "../mcp/client.ts";

const ABROAD = { source_asset: "KRW", target_currency: "USD", amount: "200000", destination_country: "US" };
const SEND = /^POST \/v0.1\/remittances$/;
const QUOTE = /^GET .*quote/;
const BALANCES = /^GET \/v1\/accounts/;

let exchange: ExchangeFixture;
const ends: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  exchange = await startExchange({ drafts: true });
  exchange.policy.value = ok(FREELY);
  // So that the account is known, and nothing is looked up before the sending but the quote.
  await exchange.desk.balances();
});
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
  await exchange.close();
});

function drafts(): TransferDesk {
  const { transfers } = exchange.desk;
  if (transfers === undefined) throw new Error("a desk without transfers");
  return transfers;
}

/** Of the last transfer that was asked for. */
let withdrawn: AbortSignal | undefined;

function factory() {
  const transfers: TransferDesk = {
    ...drafts(),
    make: (...asked) => {
      withdrawn = asked[2]?.withdrawn;
      return drafts().make(...asked);
    },
  };
  const modules = ["account", "payment", "remittance"] as const;
  return createMcpServer({ desk: { ...exchange.desk, transfers }, version: "0.0.0", modules });
}

const WAYS = (["stdio", "HTTP"] as const).flatMap((road) => ERAS.map((era) => [road, era] as const));

async function connected(road: (typeof WAYS)[number][0], era: (typeof ERAS)[number]): Promise<TestClient> {
  if (road === "HTTP") {
    const serving = await serveOverHttp({ factory: factory(), token: TOKEN, port: 0 });
    ends.push(() => serving.close());
    const client = await connectHttp(era, { url: serving.mcpUrl, headers: BEARER });
    ends.push(() => client.close());
    return client;
  }
  const { stdin, stdout, close } = overStreams(factory());
  ends.push(close);
  return connectStreams(era, stdin, stdout);
}

async function quoted(): Promise<string> {
  const view = await unwrap(drafts().quoteRemittance(ABROAD));
  return view.quote?.quote_id ?? "";
}

const sent = () => exchange.relay.writes().filter((line) => SEND.test(line)).length;
const rows = async () => (await unwrap(exchange.desk.audit({ limit: 50 }))).entries;
const said = async (text: string) =>
  vi.waitFor(async () => expect(JSON.stringify(await rows())).toContain(text), { timeout: 5_000 });
const idOf = async () => (await rows()).find(({ event }) => event === "transfer_recorded")?.intent_id ?? "";
const shown = async () => unwrap(drafts().remittance({ transferId: await idOf() }));

async function endedAsWithdrawn(): Promise<void> {
  const fault = { code: "ELocal:Withdrawn" };
  expect(await unwrap(exchange.store.transfers.byId(await idOf()))).toMatchObject({ state: "lapsed", body: { fault } });
  expect(await shown()).toMatchObject({ state: "not_made", warnings: [expect.stringContaining("was withdrawn")] });
}

describe("a remittance that is withdrawn before it is sent", () => {
  it.each(WAYS)("when withdrawn while it waits for its turn, is not sent: %s, %s", async (road, era) => {
    const client = await connected(road, era);
    const request = { quote_id: await quoted(), ...TRAVEL };
    const look = exchange.relay.hold(QUOTE);
    const call = new AbortController();
    const first = client.call("send_remittance", request, { signal: call.signal }).catch(() => undefined);
    await look.reached;
    // Asked before the remittance is, and so before it in the turn.
    const turn = exchange.relay.hold(BALANCES);
    const before = exchange.desk.balances();
    look.goOn();
    await said("transfer_recorded");
    await turn.reached;
    expect(sent()).toBe(0);
    call.abort("the user has stopped it");
    await vi.waitFor(() => expect(withdrawn?.aborted).toBe(true), { timeout: 5_000 });
    await first;
    turn.goOn();
    await before;
    await said('"to":"lapsed"');
    expect(sent()).toBe(0);
    await endedAsWithdrawn();
    const again = await client.call("send_remittance", request);
    expect(again.structured).toMatchObject({ outcome: "accepted", state: "created" });
    expect(sent()).toBe(1);
  });
});

const CALL = (quote_id: string) => ({
  id: 1,
  method: "tools/call",
  params: { name: "send_remittance", arguments: { quote_id, ...TRAVEL } },
});
const CANCEL = { method: "notifications/cancelled", params: { requestId: 1 } };

describe("over standard input", () => {
  async function opened(capabilities: object) {
    const client = openLines(factory());
    ends.push(() => client.close());
    await client.greet(capabilities);
    return client;
  }

  it("a remittance and its withdrawal in one write send nothing", async () => {
    const { write, heard } = await opened({});
    write(CALL(await quoted()), CANCEL, {
      id: 2,
      method: "tools/call",
      params: { name: "get_balances", arguments: {} },
    });
    await heard('"id":2');
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(sent()).toBe(0);
  });

  it("a withdrawal while its question is open ends it, as withdrawn", async () => {
    exchange.policy.value = ok(ASKING);
    const { write, heard } = await opened({ elicitation: {} });
    write(CALL(await quoted()));
    await heard("elicitation/create");
    write(CANCEL);
    await said('"to":"lapsed"');
    expect(await unwrap(drafts().pending())).toEqual([]);
    await endedAsWithdrawn();
    expect(sent()).toBe(0);
  });

  it("withdrawn after it was sent it counts as sent, and the log and whoever asks next say so", async () => {
    const { write, heard } = await opened({});
    const sending = exchange.relay.hold(SEND);
    write(CALL(await quoted()));
    await sending.reached;
    write(CANCEL, { id: 2, method: "ping" });
    await heard('"id":2');
    sending.goOn();
    await said("withdrawn_late");
    expect(sent()).toBe(1);
    expect(await shown()).toMatchObject({ state: "created", warnings: [expect.stringContaining("counts as sent")] });
  });
});
