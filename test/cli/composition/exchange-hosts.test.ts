import { describe, expect, it } from "vitest";
import { exchangeOf, unprovenAt } from "../../../src/cli/composition/open-venue.ts";
import { ConfigError } from "../../../src/config/index.ts";
import { CARDS, OPENINGS } from "../../../src/venues/index.ts";
import { freshHome } from "../../fixture/data-dir.ts";

const PROFILE = { name: "desk1", exchange: "hoga", unit: "KRW" } as const;

function refusal(profile: Partial<Parameters<typeof exchangeOf>[0]>): string {
  try {
    exchangeOf({ ...PROFILE, ...profile });
  } catch (error) {
    if (error instanceof ConfigError) return `${error.message} ${error.fix}`;
    throw error;
  }
  return "taken";
}

describe("an address that a profile names", () => {
  it.each([
    ["https://api.upbit.com", 'api.upbit.com is Upbit: write exchange = "upbit".'],
    ["https://SG-API.upbit.com./v1", 'sg-api.upbit.com is Upbit: write exchange = "upbit".'],
    ["https://api.bithumb.com", 'is Bithumb: write exchange = "bithumb".'],
    ["https://api.korbit.co.kr/v2", 'is Korbit (Digital X): write exchange = "korbit".'],
    ["https://api.digitalx.miraeasset.com", "is Korbit (Digital X)"],
    ["https://api.coinone.co.kr", "is Coinone"],
    ["https://api.kraken.com", "is Kraken"],
    ["https://api1.binance.com", "is Binance"],
    ["https://eea.okx.com", "is OKX"],
    ["https://api.bybit.com", "hoga cannot trade on Bybit: no adapter."],
    ["https://api.exchange.coinbase.com", "Coinbase: no adapter"],
    ["https://api.gateio.ws", "Gate: no adapter"],
    ["https://api.gopax.co.kr", "Gopax: no adapter"],
    ["https://api.kucoin.com", "KuCoin: no adapter"],
    ["https://api.crypto.com", "Crypto.com: no adapter"],
  ])("is refused by the name of the exchange that it is of: %s", (baseUrl, words) => {
    expect(refusal({ baseUrl })).toContain(words);
  });

  it("is taken where it only looks alike", () => {
    expect(refusal({ baseUrl: "https://notupbit.com" })).toBe("taken");
    expect(refusal({ baseUrl: "http://127.0.0.1:8080" })).toBe("taken");
  });
});

describe("an exchange that a profile names", () => {
  it("is refused by name where hoga does not trade on it", () => {
    expect(refusal({ exchange: "kraken" })).toContain("hoga does not trade on Kraken yet");
    expect(refusal({ exchange: "nasdaq" })).toContain('knows no exchange "nasdaq"');
    expect(refusal({ exchange: "constructor" })).toContain('knows no exchange "constructor"');
  });

  it.each(CARDS.filter(({ name }) => name !== "hoga"))(
    "is reached at the host of its card, and code opens it: $name",
    (card) => {
      const named = { ...PROFILE, exchange: card.name };
      expect(exchangeOf(named)).toEqual({ card, baseUrl: `https://${card.hosts[0]}` });
      expect(exchangeOf({ ...named, baseUrl: "http://127.0.0.1:9" }).baseUrl).toBe("http://127.0.0.1:9");
      expect(refusal({ ...named, unit: "USD" })).toContain("counts in USD");
      expect(refusal({ ...named, baseUrl: "https://api.bybit.com" })).toContain("no adapter");
      expect(Object.keys(OPENINGS)).toContain(card.name);
    },
  );

  it("is refused with a private key where its card has none", () => {
    const credentials = Object.assign(async () => Promise.reject(new Error("not read")), {
      signsBy: "private_key",
    } as const);
    for (const { name, auth, title } of CARDS) {
      const said = refusal({ exchange: name, credentials });
      if (auth.parts.includes("private_key")) expect(said).toBe("taken");
      else expect(said).toContain(`has a private key, and ${title.en} has none`);
    }
  });

  it.each(CARDS.filter(({ name }) => name !== "hoga"))(
    "takes no real order before a person accepts that it is unproven: $name",
    (card) => {
      const live = { name: "desk1", environment: "live" } as const;
      const unread = { ...card, proof: { ...card.proof, L4: null } };
      const home = { dir: freshHome() };
      expect(unprovenAt(live, unread, home)).toMatchObject({ rule: "unproven", reachedVenue: "no" });
      expect(unprovenAt({ ...live, acceptUnproven: true }, unread, home)).toBeUndefined();
      expect(unprovenAt({ ...live, environment: "sandbox" }, unread, home)).toBeUndefined();
      expect(unprovenAt(live, { ...card, proof: { ...card.proof, L4: "2027-01-01" } }, home)).toBeUndefined();
    },
  );
});
