import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { TRANSFER_ENDPOINTS, type TransferEndpoint, type TransferEndpointId } from "../../../src/contract/index.ts";
import { send } from "../http/signed-client.ts";
import { openVenue } from "../http/venue.ts";
import { freshKey, openTransferVenue, refusalOf, type TransferVenue } from "./transfer-venue.ts";

let venue: TransferVenue;
beforeAll(async () => {
  venue = await openTransferVenue({ limits: { weightPerMinute: { starter: 5_000, pro: 5_000, enterprise: 5_000 } } });
});
afterAll(async () => {
  expect(venue.defects).toEqual([]);
  await venue.sandbox.close();
});

const ID = "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77";
const rows: [TransferEndpointId, TransferEndpoint][] = Object.entries(TRANSFER_ENDPOINTS) as [
  TransferEndpointId,
  TransferEndpoint,
][];
const target = ({ path }: TransferEndpoint) => path.replace("{id}", ID);

describe("transfers", () => {
  it.each(rows)("are refused unless they are switched on, with how to do it: %s", async (_, endpoint) => {
    const plain = await openVenue();
    const reply = await plain.paper.call(endpoint.method, target(endpoint), { body: {} });
    expect(refusalOf(reply)).toEqual([404, "EGeneral:Unknown method", undefined, undefined]);
    expect(reply.json.error.message).toContain("hoga sandbox --drafts");
    await plain.sandbox.close();
  });

  it.each(rows)("are signed like the Open API: %s", async (_, endpoint) => {
    const headers = { "Idempotency-Key": freshKey() };
    const unsigned = await send(venue.sandbox.baseUrl, endpoint.method, target(endpoint), headers);
    expect(refusalOf(unsigned).slice(0, 2)).toEqual([401, "EAPI:Invalid key"]);
    const forged = venue.client({ ...venue.paper.credentials, apiSecret: Buffer.alloc(64).toString("base64") });
    expect(refusalOf(await forged.call(endpoint.method, target(endpoint), { headers })).slice(0, 2)).toEqual([
      401,
      "EAPI:Invalid signature",
    ]);
    expect(refusalOf(await venue.paper.call(endpoint.method, target(endpoint), { headers, nonce: "0" }))[1]).toBe(
      "EAPI:Invalid nonce",
    );
  });

  it.each(rows)("require the key's permission, a POST that for transfers: %s", async (_, endpoint) => {
    const others = (["query", "trade", "transfer"] as const).filter((each) => each !== endpoint.auth);
    const client = venue.addKey({ permissions: others });
    const headers = { "Idempotency-Key": freshKey() };
    const reply = await client.call(endpoint.method, target(endpoint), { headers });
    expect(refusalOf(reply).slice(0, 2)).toEqual([403, "EGeneral:Permission denied"]);
    expect(endpoint.auth).toBe(endpoint.method === "GET" ? "query" : "transfer");
  });

  it("are accepted from the key's own addresses only, on or off", async () => {
    const elsewhere = venue.addKey({ permissions: ["query"], ipAllowList: ["10.0.0.1"] });
    expect(refusalOf(await elsewhere.get("/v0.1/payments")).slice(0, 2)).toEqual([403, "EAPI:IP not allowed"]);
  });

  it.each(rows)("have the weight in the table, together with all other calls of the key: %s", async (_, endpoint) => {
    const client = venue.addKey({ permissions: ["query", "transfer"] });
    const before = await client.get("/v1/accounts");
    const reply = await client.call(endpoint.method, target(endpoint), { headers: { "Idempotency-Key": freshKey() } });
    const left = (of: typeof reply) => Number(of.headers["ratelimit-remaining"]); // not money: a weight
    expect(left(before) - left(reply)).toBe(endpoint.weight);
  });

  it.each([
    ["GET", "/v0.1/"],
    ["GET", "/v0.1/refunds"],
    ["PUT", `/v0.1/payments/${ID}`],
    ["DELETE", `/v0.1/remittances/${ID}`],
    ["POST", `/v0.1/payments/${ID}/pay`],
  ])("have nothing at %s %s", async (method, path) => {
    expect(refusalOf(await venue.paper.call(method, path)).slice(0, 2)).toEqual([404, "EGeneral:Unknown method"]);
  });
});
