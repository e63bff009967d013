/** Markets of the real exchange that look as if they had fallen to 100 and have not, and such as have. */
import { price } from "../../../src/decimal/index.ts";
import { type MarketOptions, type SandboxMarket, won } from "./sandbox-market.ts";

export interface SandboxShape extends MarketOptions {
  readonly title: string;
  readonly run: (market: SandboxMarket) => Promise<void>;
}

const STOP: MarketOptions["plan"] = { stop: { price: price(won(100)) } };
const TICKS = [{ from: price("0"), tick: price("1000") }];

async function fall(market: SandboxMarket): Promise<void> {
  await market.pass(1_000);
  market.quotes(97, 99);
  market.print(98);
}

async function recover(market: SandboxMarket): Promise<void> {
  market.quotes(104, 105);
  market.print(104.5);
  await market.pass(5_000);
}

async function printing(market: SandboxMarket, at: number, times: number): Promise<void> {
  for (let n = 0; n < times; n++) {
    market.print(at);
    await market.pass(500);
  }
}

export const FALSE_IN_SANDBOX: readonly SandboxShape[] = [
  {
    title: "a wick through a thin book",
    plan: STOP,
    run: async (market) => {
      market.rest("buy", 95, "1");
      await market.pass(1_000);
      market.sweep("sell", 95, "1.01");
      market.rest("buy", 104, "1");
      await market.pass(6_000);
    },
  },
  {
    title: "a dip of one second",
    plan: STOP,
    run: async (market) => {
      await fall(market);
      await market.pass(1_000);
      await recover(market);
    },
  },
  {
    title: "quotes that fall and nobody trades at",
    plan: STOP,
    run: async (market) => {
      await market.pass(1_000);
      market.quotes(97, 99);
      await market.pass(7_000);
    },
  },
  {
    title: "one's own trades alone",
    plan: STOP,
    run: async (market) => {
      market.quotes(97, 99);
      await market.place({ side: "buy", at: 98, volume: "0.1" });
      for (let n = 0; n < 8; n++) {
        market.sweep("sell", 98, "0.01");
        await market.pass(500);
      }
    },
  },
  {
    title: "one's own quote under the market",
    plan: STOP,
    run: async (market) => {
      market.quotes(97, 105);
      await market.place({ side: "sell", at: 99, volume: "0.1" });
      for (let n = 0; n < 6; n++) {
        market.rest("buy", 98, "0.01");
        market.sweep("sell", 98, "0.01");
        await market.pass(500);
      }
    },
  },
  {
    title: "a reconnect in a fall that is over soon",
    plan: STOP,
    run: async (market) => {
      await fall(market);
      await market.pass(1_500);
      market.relay.plan("break");
      await market.pass(1_000);
      await recover(market);
    },
  },
  {
    title: "a line that goes quiet in a dip",
    plan: STOP,
    run: async (market) => {
      await fall(market);
      await market.pass(500);
      market.relay.plan("stall");
      await market.pass(500);
      await recover(market);
      market.relay.calm();
      await market.pass(3_000);
    },
  },
  {
    title: "a message that is lost in a fall",
    plan: STOP,
    run: async (market) => {
      await fall(market);
      await market.pass(1_250);
      market.relay.plan("lose", (text) => text.includes('"orderbook"'));
      market.rest("buy", 96, "1");
      await market.pass(250);
      market.rest("buy", 95, "1");
      await market.pass(1_250);
      await recover(market);
    },
  },
  {
    title: "an exchange whose clock leaps by seconds in a dip",
    plan: STOP,
    run: async (market) => {
      await fall(market);
      await market.pass(500);
      market.world.venueClock.skewMs += 2_500;
      await market.pass(750);
      await recover(market);
    },
  },
  {
    title: "a side that nobody else is on",
    plan: STOP,
    run: async (market) => {
      await market.pass(1_000);
      market.quotes(97, undefined);
      await printing(market, 98, 10);
    },
  },
];

export const TRUE_IN_SANDBOX: readonly (SandboxShape & { readonly leg: "stop" | "take" | "alert" })[] = [
  {
    title: "a fall",
    plan: STOP,
    leg: "stop",
    run: async (market) => {
      await fall(market);
      await printing(market, 98, 6);
    },
  },
  {
    title: "a fall of one print, and quiet after",
    plan: STOP,
    leg: "stop",
    run: async (market) => {
      await fall(market);
      await market.pass(4_000);
    },
  },
  {
    title: "a fall through all bids",
    plan: STOP,
    leg: "stop",
    run: async (market) => {
      for (const at of [103, 101, 99, 95]) market.rest("buy", at, "1");
      await market.pass(1_000);
      market.sweep("sell", 99, "4");
      market.quotes(95, 99);
      await market.pass(3_000);
    },
  },
  {
    title: "a slow slide through",
    plan: STOP,
    leg: "stop",
    run: async (market) => {
      for (const at of [103, 101.5, 100.5, 99.5, 99]) {
        market.quotes(at - 1, at + 0.5);
        await printing(market, at, 3);
      }
      await market.pass(2_000);
    },
  },
  {
    title: "a fall with a bounce",
    plan: STOP,
    leg: "stop",
    run: async (market) => {
      await fall(market);
      await market.pass(1_250);
      market.quotes(101, 102);
      market.print(101.5);
      await market.pass(500);
      await fall(market);
      await printing(market, 98, 6);
    },
  },
  {
    title: "a fall over a reconnect, that stays",
    plan: STOP,
    leg: "stop",
    run: async (market) => {
      await fall(market);
      await market.pass(1_000);
      market.relay.plan("break");
      await printing(market, 98, 10);
    },
  },
  {
    title: "a fall without a stream",
    plan: STOP,
    withoutStream: true,
    leg: "stop",
    run: async (market) => {
      await fall(market);
      await printing(market, 98, 14);
    },
  },
  {
    title: "a rise to a price to take",
    plan: { take: price(won(110)) },
    leg: "take",
    run: async (market) => {
      market.quotes(111, 112);
      await printing(market, 111.5, 6);
    },
  },
  {
    title: "a rise, and a fall by the distance of a trailing stop",
    plan: { stop: { trail: { percent: "5" }, high: price(won(104)), bands: TICKS } },
    leg: "stop",
    run: async (market) => {
      market.quotes(111, 112);
      await printing(market, 111.5, 10);
      market.quotes(104, 105);
      await printing(market, 104.5, 6);
    },
  },
  {
    title: "a fall that is to be told of, and not sold at",
    plan: { alert: { direction: "down", price: price(won(100)) } },
    leg: "alert",
    run: async (market) => {
      await fall(market);
      await printing(market, 98, 6);
    },
  },
];
