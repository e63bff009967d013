import { createHmac, createPublicKey } from "node:crypto";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { venueAccess } from "../../../../src/sandbox/index.ts";
import { send } from "../../http/signed-client.ts";
import { type Korbit, KorbitClient, openKorbit, refusal, type SigningOptions } from "./korbit-client.ts";

let korbit: Korbit;
let paper: KorbitClient;
let privateKey: string;
beforeAll(async () => {
  korbit = await openKorbit();
  ({ paper } = korbit);
  privateKey = venueAccess("korbit", paper.credentials.apiSecret).privateKey ?? "";
});
afterAll(async () => {
  await korbit.venue.sandbox.close();
  expect(korbit.venue.defects).toEqual([]);
});

const balance = (options?: SigningOptions) => paper.get("balance", {}, options);

describe("a signature", () => {
  it("is of HMAC-SHA256 over the parameters as they are sent, wherever it stands among them", async () => {
    expect((await balance()).status).toBe(200);
    const first = (text: string): string => {
      const [, rest = "", signature = ""] = /^(.*)&(signature=.*)$/.exec(text) ?? [];
      return `${signature}&${rest}`;
    };
    expect((await balance({ sent: first })).status).toBe(200);
    expect((await paper.order({ clientOrderId: "a:b.c_d-1" }, { sent: first })).status).toBe(200);
  });

  it("is of the vector that a client of Korbit was tested with", async () => {
    const vector = new KorbitClient("", { apiKey: "", apiSecret: "secret-key" });
    expect(vector.signed({ symbol: "btc_krw" }, { timestamp: 1_700_000_000_123 })).toBe(
      "symbol=btc_krw&timestamp=1700000000123&signature=bf4a6ef9b4341b94c169af5b7c7fa4f4ad6018ab2eac06dd140cf7b1975a56b0",
    );
    const { venue } = korbit;
    const own = venue.addKey({ secret: "secret-key" });
    const client = new KorbitClient(own.baseUrl, own.credentials, () => venue.clock.now);
    expect((await client.get("openOrders", { symbol: "btc_krw" })).status).toBe(200);
  });

  it("is of Ed25519 in encoded base64, by the private key that comes with the sandbox", async () => {
    expect((await paper.order({}, { privateKey })).status).toBe(200);
    const { json } = await paper.get("currentKeyInfo", {}, { privateKey });
    expect(json.data).toMatchObject({ type: "ed25519", apiKey: paper.credentials.apiKey });
    expect(createPublicKey(privateKey).export({ format: "pem", type: "spki" })).toBe(json.data.publicKey);
  });

  it("is refused where a plus in it is not encoded, which stands for a space", async () => {
    const { now: latest } = korbit.venue.clock;
    const times = Array.from({ length: 1_000 }, (_, age) => latest - age);
    const timestamp = times.find((at) => paper.signed({}, { timestamp: at, privateKey }).includes("%2B")) ?? 0;
    const sent = (text: string) => text.replaceAll("%2B", "+");
    expect((await balance({ privateKey, timestamp })).status).toBe(200);
    expect(refusal(await balance({ privateKey, timestamp, sent }))).toEqual([401, "INVALID_SIGNATURE"]);
  });

  it("covers query and body, one after the other with nothing in between", async () => {
    const { baseUrl, credentials } = paper;
    const body = "symbol=btc_krw&side=buy&orderType=limit&price=90000000&qty=0.001";
    const time = `timestamp=${korbit.venue.clock.now}`;
    const whole = createHmac("sha256", credentials.apiSecret).update(`${time}${body}`).digest("hex");
    const headers = { ...paper.headers(), "Content-Type": "application/x-www-form-urlencoded" };
    const reply = await send(baseUrl, "POST", `/v2/orders?${time}&signature=${whole}`, headers, body);
    expect(reply.status).toBe(200);
  });

  it.each([
    [
      "of another secret",
      "INVALID_SIGNATURE",
      { sent: (text: string) => text.replace(/.$/, (end) => (end === "0" ? "1" : "0")) },
    ],
    [
      "in capital letters",
      "INVALID_SIGNATURE",
      { sent: (text: string) => text.replace(/[^=]*$/, (hex) => hex.toUpperCase()) },
    ],
    ["of other parameters", "INVALID_SIGNATURE", { sent: (text: string) => `currencies=btc&${text}` }],
    ["that is absent", "INVALID_SIGNATURE", { sent: (text: string) => text.replace(/&signature.*/, "") }],
    ["of no key", "KEY_NOT_FOUND", { headers: { "X-KAPI-KEY": "nobody" } }],
  ])("%s is refused with %s", async (_, name, options) => {
    expect(refusal(await balance(options))).toEqual([401, name]);
  });
});

describe("the time of a request", () => {
  const signedAt = async (offset: number, recvWindow?: string) => {
    const timestamp = korbit.venue.clock.now + offset;
    const reply = await balance({ timestamp, ...(recvWindow === undefined ? {} : { recvWindow }) });
    return reply.status === 200 ? "right" : refusal(reply)[1];
  };

  it("is right from five seconds before the server's until short of a second after it", async () => {
    expect(await signedAt(-5_000)).toBe("right");
    expect(await signedAt(-5_001)).toBe("EXCEED_TIME_WINDOW");
    expect(await signedAt(999)).toBe("right");
    expect(await signedAt(1_000)).toBe("EXCEED_TIME_WINDOW");
  });

  it("may be older with recvWindow, up to a minute, and not younger", async () => {
    expect(await signedAt(-60_000, "60000")).toBe("right");
    expect(await signedAt(-60_001, "60000")).toBe("EXCEED_TIME_WINDOW");
    expect(await signedAt(1_000, "60000")).toBe("EXCEED_TIME_WINDOW");
    expect(await signedAt(-1_001, "1000")).toBe("EXCEED_TIME_WINDOW");
    for (const window of ["60001", "0", "1.5", "five"]) expect(await signedAt(0, window)).toBe("BAD_REQUEST");
  });

  it("has to be there", async () => {
    const sent = (): string => paper.signed({}, { timestamp: 0 });
    expect(refusal(await balance({ sent }))).toEqual([400, "BAD_REQUEST"]);
  });
});

describe("a key", () => {
  it("says what it may do, from where, and how long", async () => {
    const { json } = await paper.get("currentKeyInfo");
    expect(json.data).toEqual({
      apiKey: paper.credentials.apiKey,
      type: "hmac-sha256",
      permissions: ["readBalances", "readOrders", "writeOrders"],
      whitelist: "",
      expiration: korbit.venue.clock.now + 365 * 86_400_000,
      status: "activated",
      label: "sandbox",
      createdAt: korbit.venue.clock.now,
    });
  });

  it("is refused what it has no right to, and from where it may not be used", async () => {
    const { venue } = korbit;
    const clientOf = (part: object) => {
      const { baseUrl, credentials } = venue.addKey(part);
      return new KorbitClient(baseUrl, credentials, () => venue.clock.now);
    };
    const reader = clientOf({ permissions: ["query"] });
    expect(refusal(await reader.order())).toEqual([403, "FORBIDDEN"]);
    expect((await reader.get("balance")).status).toBe(200);
    const elsewhere = clientOf({ ipAllowList: ["203.0.113.7", "203.0.113.8"] });
    expect(refusal(await elsewhere.get("balance"))).toEqual([403, "IP_NOT_ALLOWED"]);
    expect((await clientOf({ ipAllowList: ["127.0.0.1"] }).get("balance")).status).toBe(200);
  });
});
