import { createPrivateKey, generateKeyPairSync } from "node:crypto";
import { binance } from "ccxt";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { CALLS, venueCall } from "../../../src/venues/korbit/calls.ts";
import { placement } from "../../../src/venues/korbit/placement.ts";
import { encoded, KorbitKey, signature } from "../../../src/venues/korbit/sign.ts";

const pem = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" }).toString();

/** Another exchange's signatures are made of the same two, over a text of the same form, by code that is not Node's. */
function otherClient(secret: string) {
  const client = new binance({ apiKey: "key-1", secret });
  client.nonce = () => 1_700_000_000_123;
  return client;
}

/** As the exchange's own client writes a form: written here from its description, and sharing nothing with ours. */
function form(fields: Readonly<Record<string, string>>): string {
  const spell = (text: string): string =>
    [...Buffer.from(text)]
      .map((byte) => {
        const letter = String.fromCharCode(byte);
        if (/[A-Za-z0-9._-]/.test(letter)) return letter;
        return letter === " " ? "+" : `%${byte.toString(16).toUpperCase().padStart(2, "0")}`;
      })
      .join("");
  return Object.entries(fields)
    .map(([name, value]) => `${spell(name)}=${spell(value)}`)
    .join("&");
}

// Without `*` and `~`, which clients encode in two ways: no value that is sent has them.
const value = fc.oneof(
  fc.stringMatching(/^[A-Za-z0-9._:-]{1,36}$/),
  fc.array(fc.stringMatching(/^[a-z]{2,5}_krw$/), { maxLength: 4 }).map((list) => list.join(",")),
  fc.constantFrom("한글", "호가 주문", "a+b/c=d&e", "", "100000000"),
);
const fields = fc.dictionary(fc.stringMatching(/^[a-zA-Z][a-zA-Z]{0,11}$/), value, { maxKeys: 6 });

describe("a signature", () => {
  it.each([
    ["HMAC", "secret-1"],
    ["Ed25519", pem],
  ])("is another client's by %s, whatever the parameters", (_, secret) => {
    const theirs = otherClient(secret);
    fc.assert(
      fc.property(fields, (given) => {
        const { timestamp: _time, recvWindow: _window, signature: _signature, ...rest } = given;
        const signed = theirs.sign("order", "private", "GET", rest);
        const [text = "", made = ""] = String(signed.url).split("?")[1]?.split("&signature=") ?? [];
        expect(text).toContain("timestamp=1700000000123");
        expect(encodeURIComponent(signature(secret, text))).toBe(made);
      }),
      { numRuns: 500 },
    );
  });

  it("agrees with the published vectors", () => {
    const text = "symbol=btc_krw&timestamp=1700000000123";
    const hmac = "bf4a6ef9b4341b94c169af5b7c7fa4f4ad6018ab2eac06dd140cf7b1975a56b0";
    expect(signature("secret-key", text)).toBe(hmac);
    // RFC 8032, 7.1, test 1: the key that begins with 9d61, and no text.
    const seed = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
    const der = Buffer.from(`302e020100300506032b657004220420${seed}`, "hex");
    const known = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
    const signed = signature(known.export({ type: "pkcs8", format: "pem" }).toString(), "");
    expect(Buffer.from(signed, "base64").toString("hex")).toBe(
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b",
    );
  });
});

describe("the bytes of a call", () => {
  it("are the form of another implementation, whatever the parameters", () => {
    fc.assert(
      fc.property(fields, (given) => {
        expect(encoded(Object.entries(given))).toBe(form(given));
      }),
      { numRuns: 500 },
    );
  });

  const order = {
    symbol: "BTC/KRW",
    type: "limit",
    userref: "hg0123456789abcdef",
    price: "5000",
    volume: "1",
  } as const;
  const fieldsOf = (given: Parameters<typeof placement>[0]) => {
    const made = placement(given);
    if (!made.ok) throw new Error(made.fault.code);
    return made.value;
  };

  const named = { symbol: "btc_krw", clientOrderId: "hg0123456789abcdef" };
  const period = { startTime: "1699870460000", endTime: "1700000000000", limit: "1000" };
  const calls = [
    ["GET", "/v2/balance", {}, CALLS.balance()],
    ["GET", "/v2/tradingFeePolicy", {}, CALLS.fees()],
    ["GET", "/v2/orders", { symbol: "btc_krw", orderId: "1234" }, CALLS.order("btc_krw", "1234")],
    ["GET", "/v2/orders", named, CALLS.orderNamed("btc_krw", "hg0123456789abcdef")],
    ["GET", "/v2/openOrders", { symbol: "btc_krw", limit: "1000" }, CALLS.openOrders("btc_krw")],
    [
      "GET",
      "/v2/allOrders",
      { symbol: "btc_krw", ...period },
      CALLS.allOrders("btc_krw", 1699870460000, 1700000000000),
    ],
    ["GET", "/v2/myTrades", { symbol: "btc_krw", ...period }, CALLS.fills("btc_krw", 1699870460000, 1700000000000)],
    ["DELETE", "/v2/orders", { symbol: "btc_krw", orderId: "1234" }, CALLS.cancel("btc_krw", "1234")],
    [
      "POST",
      "/v2/orders",
      {
        ...{ symbol: "btc_krw", side: "buy", orderType: "limit", clientOrderId: "hg0123456789abcdef" },
        ...{ price: "5000", qty: "1", timeInForce: "po" },
      },
      CALLS.place(fieldsOf({ ...order, side: "buy", post_only: true })),
    ],
  ] as const;

  it.each(calls.flatMap((call) => [[...call, "secret-1"] as const, [...call, pem] as const]))(
    "are those of %s %s %j, with what signs them last",
    (method, path, given, call, secret) => {
      const signer = new KorbitKey({ apiKey: "key-1", apiSecret: secret }).signer();
      if (signer === undefined) throw new Error("no signer");
      const sent = venueCall(call as never).request({ origin: "", prefix: "" }, { nonce: "1700000001123", signer });
      // A second before the exchange's time.
      const text = form({ ...given, timestamp: "1700000000123", recvWindow: "5000" });
      const whole = `${text}&${form({ signature: signature(secret, text) })}`;
      expect(sent.headers["x-kapi-key"]).toBe("key-1");
      expect(call.method).toBe(method);
      if (method === "POST") {
        expect(sent).toMatchObject({ path, body: whole });
        expect(sent.headers["content-type"]).toBe("application/x-www-form-urlencoded");
      } else expect(sent).toEqual({ path: `${path}?${whole}`, headers: expect.anything() });
      expect(Object.keys(sent.headers)).not.toContain("signature");
    },
  );

  it("carry no key where they are public", () => {
    const sent = venueCall(CALLS.tickers(["btc_krw", "eth_krw"])).request({ origin: "", prefix: "/p" });
    expect(sent).toEqual({ path: "/p/v2/tickers?symbol=btc_krw%2Ceth_krw", headers: { accept: "application/json" } });
  });
});

describe("a key", () => {
  it("prints neither itself nor its secret, and says nothing of a wrong one", () => {
    const key = new KorbitKey({ apiKey: "key-1", apiSecret: () => "canary secret" });
    expect(JSON.stringify(key)).toBe('"[credentials]"');
    expect(key.signer()).toBeUndefined();
    expect(() => new KorbitKey({ apiKey: "key-1", apiSecret: "canary secret" })).toThrow(/^the API secret is empty/);
    const broken = pem.replace(/\n\w{8}/, "\ncanaryXY");
    for (const wrong of [broken, rsa()])
      expect(() => new KorbitKey({ apiKey: "key-1", apiSecret: wrong })).toThrow(
        /^the private key is not one of Ed25519/,
      );
  });
});

function rsa(): string {
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 1_024 });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}
