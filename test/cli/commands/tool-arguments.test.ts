import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ended, oneLine, quartet } from "../../fixture/command.ts";
import { freshHome, type Place } from "../../fixture/data-dir.ts";
import { wideHome } from "../../fixture/home.ts";
import { cleanUp, run, startSandbox } from "../../fixture/in-process.ts";
import { type Relay, startRelay } from "../../fixture/relay.ts";

interface Report {
  readonly outcome?: string;
  readonly state?: string;
  readonly order?: Record<string, unknown>;
  readonly error?: { readonly code: string; readonly field?: string; readonly message: string };
}

const home = wideHome();
beforeAll(async () => {
  await startSandbox({ home });
});
afterAll(cleanUp);

const call = (...args: readonly string[]): Promise<Ended> => run(["call", ...args], { home });
const LIMIT = ["--symbol", "BTC/KRW", "--side", "buy", "--type", "limit", "--base-volume", "0.001"] as const;

let names = 0;
/** Just the same at the same time, without a name, would be taken for the same order asked for again. */
const named = (): readonly string[] => ["--userref", `arguments-${++names}`];

describe("arguments of a tool", () => {
  it.concurrent.each([
    ["one JSON object", ['{"symbol":"BTC/KRW","side":"buy","type":"limit","base_volume":"0.001","price":"90000000"}']],
    ["--field value", [...LIMIT, "--price", "90000000"]],
    [
      "snake_case",
      ["--symbol", "KRW-BTC", "--side", "buy", "--type", "limit", "--base_volume", "0.001", "--price", "90000000"],
    ],
    ["--field=value", ["--symbol=btckrw", "--side=buy", "--type=limit", "--base-volume=0.001", "--price=90000000"]],
    [
      "an object, and a pair that overrides it",
      ['{"symbol":"BTC/KRW","side":"buy","type":"limit","base_volume":"0.001","price":"1"}', "--price", "90000000"],
    ],
  ])("may be %s", async (_, words) => {
    const ended = await call("place_order", ...words, ...named(), "--json");
    const { outcome, state, order } = oneLine<Report>(ended);
    expect({ code: ended.code, outcome, state }).toEqual({ code: 0, outcome: "accepted", state: "open" });
    expect(order).toMatchObject({
      symbol: "BTC/KRW",
      side: "buy",
      volume: "0.001",
      price: "90000000",
      post_only: false,
    });
  });

  it.concurrent.each([
    [["--post-only"], true],
    [["--post-only", "true"], true],
    [["--post-only=false"], false],
    [["--post_only", "false"], false],
  ])("take a boolean as %j", async (words, post_only) => {
    const ended = await call("place_order", "--json", ...words, ...LIMIT, ...named(), "--price", "90000000");
    expect(oneLine<Report>(ended).order).toMatchObject({ post_only, price: "90000000" });
  });

  it("take whole numbers, lists and objects", async () => {
    const tickers = oneLine<{ tickers: { symbol: string }[] }>(
      await call("get_ticker", "--json", "--symbols", "BTC/KRW, ETH/KRW"),
    );
    expect(tickers.tickers.map(({ symbol }) => symbol)).toEqual(["BTC/KRW", "ETH/KRW"]);
    await call("place_order", ...LIMIT, "--price", "90000000");
    await call("place_order", ...LIMIT, "--price", "90001000");
    const orders = oneLine<{ orders: object[]; next_cursor: string | null }>(
      await call("get_open_orders", "--limit", "1", "--json"),
    );
    expect(orders.orders).toHaveLength(1);
    expect(orders.next_cursor).not.toBeNull();
    const compliance = {
      vasp_purpose_code: "P2B_TRADE",
      originator_vasp_id: "v",
      kyc_level: "TIER2",
      settlement_mode: "STANDARD_KRW",
    };
    const placed = await call(
      "place_order",
      ...LIMIT,
      "--price",
      "90000000",
      "--compliance",
      JSON.stringify(compliance),
      "--json",
    );
    expect(oneLine<Report>(placed).order).toMatchObject({ settlement: { mode: "STANDARD_KRW" } });
  });

  it("keep amounts as text, never as numbers", async () => {
    const { order } = oneLine<Report>(
      await call(
        "place_order",
        "--json",
        "--symbol",
        "SHIB/KRW",
        "--side",
        "buy",
        "--type",
        "limit",
        "--base-volume",
        "1234567890.01",
        "--price",
        "0.004000",
      ),
    );
    expect(order).toMatchObject({ volume: "1234567890.01", price: "0.004" });
  });
});

describe("arguments that do not fit", () => {
  let silent: Relay;
  let place: Place;
  beforeAll(async () => {
    silent = await startRelay();
    place = { home: freshHome(), env: quartet(silent.url, "k", "c2VjcmV0") };
  });
  afterAll(() => silent.close());

  it.concurrent.each([
    [["--prise", "90000000"], "prise", 'did you mean "price"?'],
    [["--price", "90000000", "--post-onli", "true"], "post_onli", 'did you mean "post_only"?'],
    [["--price", "90000000", "--size", "1"], "size", "base_volume"],
    [["--price", "90000000", "--__proto__", "x"], "__proto__", "unknown field"],
    [["--price", "-1"], "price", "sign"],
    [["--price", "9e7"], "price", "exponent"],
    [["--price", "90,000,000"], "price", '"90,000,000"'],
    [['{"price":90000000}'], "price", "string"],
    [["--price", "90000000", "--time-in-force", "GTD"], "time_in_force", "GTC"],
    [["--price", "90000000", "--side", "BUY "], "side", "buy"],
  ])("%j are refused by the tool with 2, and nothing is sent", async (words, field, fix) => {
    const given = words.includes("--side") ? LIMIT.filter((word) => word !== "--side" && word !== "buy") : LIMIT;
    const { code, ...ended } = await run(["call", "place_order", ...given, ...words, "--json"], place);
    const { outcome, state, error } = oneLine<Report>(ended);
    expect({ code, outcome, state }).toEqual({ code: 2, outcome: "not_sent", state: "denied" });
    expect(error).toMatchObject({ code: "ELocal:Invalid input", field });
    expect(error?.message).toContain(fix);
    expect(silent.arrivals).toEqual([]);
  });
});
