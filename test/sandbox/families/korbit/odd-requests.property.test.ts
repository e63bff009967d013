/** Whatever is asked, the answer has Korbit's form and is no failure of the server; and a number goes through it without losing a digit. */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WebSocket } from "ws";
import { PRIVATE_ENDPOINTS, PUBLIC_ENDPOINTS } from "../../../../src/sandbox/families/korbit/endpoints.ts";
import { type Reply, send } from "../../http/signed-client.ts";
import { deposit, type Korbit, openKorbit, refusal } from "./korbit-client.ts";

let korbit: Korbit;
beforeAll(async () => {
  korbit = await openKorbit({ limits: { venueRateFactor: 1_000_000 } });
  await korbit.maker.order({ side: "sell", price: "90000000", qty: "1" });
  await korbit.paper.order({ qty: "0.01", clientOrderId: "there" });
  deposit(korbit.venue, "paper", "KRW", 900_000_000n);
});
afterAll(async () => {
  await korbit.venue.sandbox.close();
  expect(korbit.venue.defects).toEqual([]);
});

const NAMES = (
  "symbol orderId clientOrderId limit startTime endTime start end interval level side orderType price qty amt timeInForce " +
  "bestNth pp ppPercent accountSeq currencies timestamp signature __proto__"
).split(" ");
const WORDS = (
  "btc_krw,shib_krw,none_krw,BTC_KRW,krw,0,1,-1,2,0.001,5000,10000,90000000,1e8,999999999999999,9007199254740993," +
  "buy,sell,limit,market,best,gtc,ioc,fok,po,true,false,1D,1W,60,there,1784538000000,한국,a b,%zz,+,&"
).split(",");

const parameters = fc.dictionary(fc.constantFrom(...NAMES), fc.oneof(fc.constantFrom(...WORDS), fc.string()), {
  maxKeys: 7,
});

/** @throws unless the answer has Korbit's form */
function successOf(reply: Reply): boolean {
  return reply.status === 200 ? reply.json.success : !refusal(reply)[1].includes("INTERNAL");
}

describe("an odd request", () => {
  it("is answered in Korbit's form", async () => {
    const targets = [...[...PUBLIC_ENDPOINTS.keys()].map((path) => `GET ${path}`), ...PRIVATE_ENDPOINTS.keys()];
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...targets), parameters, fc.boolean(), async (target, fields, isSigned) => {
        const [method = "", path = ""] = target.split(" ");
        const { paper } = korbit;
        const { timestamp: _, signature: __, ...free } = fields;
        const text = isSigned ? paper.signed(free) : new URLSearchParams(fields).toString();
        const form = { "Content-Type": "application/x-www-form-urlencoded" };
        const reply =
          method === "POST"
            ? send(paper.baseUrl, method, path, { ...form, ...paper.headers() }, text)
            : send(paper.baseUrl, method, `${path}?${text}`, paper.headers());
        expect(successOf(await reply)).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it("is answered on the stream too", async () => {
    const web = new WebSocket(korbit.venue.sandbox.streamUrl);
    await new Promise((resolve, reject) => web.once("open", resolve).once("error", reject));
    const odd = fc.oneof(
      fc.json(),
      fc.string(),
      fc
        .array(fc.dictionary(fc.constantFrom("method", "type", "symbols"), fc.constantFrom(...WORDS)))
        .map((parts) => JSON.stringify(parts)),
    );
    await fc.assert(
      fc.asyncProperty(odd, async (text) => {
        const answered = new Promise<string>((resolve) =>
          web.once("message", (data) => resolve((data as Buffer).toString("utf8"))),
        );
        web.send(text);
        expect(JSON.parse(await answered).status).toMatch(/^(fail|error)$/);
      }),
      { numRuns: 40 },
    );
    web.close();
  });
});

describe("an amount", () => {
  it("comes back as it was sent, whatever its digits", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 6_000, max: 9_000_000 }), async (units) => {
        const qty = `0.${String(units).padStart(8, "0").replace(/0+$/, "")}`;
        const { orderId } = (await korbit.paper.order({ price: "89000000", qty, timeInForce: "ioc" })).json.data;
        const { data } = (await korbit.paper.find({ orderId: String(orderId) })).json;
        expect([data.orderId, data.qty, data.price]).toEqual([orderId, qty, "89000000"]);
      }),
      { numRuns: 20 },
    );
  });
});
