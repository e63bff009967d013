/** By whose call over HTTP a row of the log was written: each caller's own, and nobody's where nobody called. */
import { afterAll, expect, it } from "vitest";
import { byCaller, callerNow } from "../../../src/cli/composition/current-caller.ts";
import { eventually, limitBuy, oneLine } from "../../fixture/command.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { cleanUp, run } from "../../fixture/in-process.ts";
import { connectHttp, ERAS } from "../../mcp/client.ts";
import { operated } from "../../telemetry/operated.ts";

afterAll(cleanUp);

const orderAt = (price: string) => ({ symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price });
const LOOK = /^GET \/v1\/orders\?/;

interface Row {
  readonly event: string;
  readonly intentId: string | null;
  readonly detail: { readonly to?: string; readonly caller?: string };
}

it("is the name of its token, in both eras and at once; what is settled later, and a command, have none", async () => {
  const place = await operated();
  const clients = await Promise.all(
    ERAS.map(async (era, at) => {
      const made = await run(["tokens", "create", `bot-${at}`, "--scopes", "all", "--json"], place);
      const headers = { Authorization: `Bearer ${oneLine<{ token: string }>(made).token}` };
      return connectHttp(era, { ...place.address, headers });
    }),
  );
  const rows = async (): Promise<readonly Row[]> =>
    oneLine<{ entries: readonly Row[] }>(await run(["audit", "show", "--limit", "200", "--json"], place)).entries;
  const callersOf = async (intentId: unknown): Promise<readonly string[]> =>
    (await rows())
      .filter((row) => row.intentId === intentId)
      .map(({ event, detail }) => `${event} ${detail.to}: ${detail.caller}`)
      .reverse();
  const placed = await Promise.all(clients.map((client, at) => client.call("place_order", orderAt(`9${at}000000`))));
  for (const [at, { structured }] of placed.entries())
    expect(await callersOf(structured["intent_id"])).toEqual([
      `intent_recorded approved: bot-${at}`,
      ...["submitting", "open"].map((to) => `intent_moved ${to}: bot-${at}`),
    ]);

  place.proxy.plan(ORDER_POST, "lose_reset");
  place.proxy.plan(LOOK, "deny", 99);
  const lost = await clients[0]?.call("place_order", orderAt("80000000"));
  place.proxy.heal();
  const settled = await eventually(async () => {
    const found = await callersOf(lost?.structured["intent_id"]);
    return found.some((each) => each.startsWith("intent_moved open")) ? found : undefined;
  });
  expect(settled.filter((each) => each.endsWith("bot-0"))).toEqual(settled.slice(0, -1));
  expect(settled.at(-1)).toBe("intent_moved open: undefined");

  const command = oneLine<{ intent_id: string }>(await run(["call", ...limitBuy("70000000"), "--json"], place));
  expect((await callersOf(command.intent_id)).filter((each) => !each.endsWith("undefined"))).toEqual([]);
  await Promise.all(clients.map((client) => client.close()));
});

it("ends with the call, whatever that has begun", async () => {
  const said: (string | undefined)[] = [];
  let goOn = (): void => {};
  const later = new Promise<void>((resolve) => {
    goOn = resolve;
  });
  let after: Promise<unknown> = Promise.resolve();
  const call = async () => {
    said.push(callerNow());
    after = later.then(() => said.push(callerNow()));
    return { content: [] };
  };
  const around = byCaller(
    (_, work) => work(),
    (tool) => tool === "get_ticker",
  );
  await around("place_order", call, { caller: { key: "token 1", name: "bot" } });
  goOn();
  await after;
  await around("place_order", call, {});
  await around("get_ticker", call, { caller: { key: "token 1", name: "bot" } });
  expect(said).toEqual(["bot", ...Array.from({ length: 5 }, () => undefined)]);
});
