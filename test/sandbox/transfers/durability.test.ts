import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { FaultyDisk, PAPER_KEY, serveOn } from "../http/faulty-disk.ts";
import { SignedClient } from "../http/signed-client.ts";
import { freshKey, refusalOf } from "./transfer-venue.ts";

let dir: string;
let disk: FaultyDisk;
let served: Awaited<ReturnType<typeof serveOn>>;
let client: SignedClient;

beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), "sandbox-transfers-disk-"));
  disk = new FaultyDisk();
  served = await serveOn(disk, dir, { drafts: true });
  client = new SignedClient(served.url, PAPER_KEY);
});
afterEach(async () => {
  await served.close();
  await rm(dir, { recursive: true, force: true });
});

const QUOTES = "/v0.1/remittances/quotes";
const quoteRequest = { source_asset: "KRW", target_currency: "USD", amount: "138000", destination_country: "US" };
const quote = (key: string = freshKey()) => client.post(QUOTES, quoteRequest, { headers: { "Idempotency-Key": key } });

describe("an answer about a transfer", () => {
  it("waits for the disk: to a request that moves money, to its repetition, and to a query of its outcome", async () => {
    const key = freshKey();
    const { json } = await quote(key);
    let release = () => {};
    disk.syncWaitsFor = new Promise((resolve) => {
      release = resolve;
    });
    const beneficiary = { name: "Kim Minji", account: "123", bank_code: "BOFAUS3N", country: "US" };
    const body = { quote_id: json.quote_id as string, beneficiary, originator_vasp_id: "V-1", purpose_code: "FAMILY" };
    const send = () => client.post("/v0.1/remittances", body, { headers: { "Idempotency-Key": "r-1" } });
    const made = send();
    let answered = 0;
    const count = () => {
      answered += 1;
    };
    await until(() => served.opened.exchange.answerTo("paper", "r-1") !== undefined);
    const waiting = [
      made,
      send(),
      client.get("/v0.1/remittances?idempotency_key=r-1"),
      client.get("/v0.1/remittances"),
    ];
    for (const reply of waiting) void reply.then(count);
    // A public call is answered meanwhile, so the others had time to be answered too.
    await client.get("/v1/time");
    await client.get("/v1/accounts");
    expect(answered).toBe(0);
    release();
    const replies = await Promise.all(waiting);
    expect(replies.map(({ status }) => status)).toEqual([201, 201, 200, 200]);
    expect(replies[1]?.text).toBe(replies[0]?.text);
  });
});

describe("when the disk fails", () => {
  it("when it fails at the sync, the outcome of the request is unknown, and no query answers as if it were known", async () => {
    const key = freshKey();
    disk.syncError = new Error("EIO: secret path");
    const reply = await quote(key);
    expect(refusalOf(reply).slice(0, 2)).toEqual([503, "EService:Unavailable"]);
    expect(reply.text).not.toContain("EIO");
    for (const target of [`/v0.1/payments?idempotency_key=${key}`, "/v0.1/remittances"])
      expect(refusalOf(await client.get(target))[0]).toBe(503);
  });

  it("when it fails at the write, no answer says that it was done", async () => {
    disk.writeError = new Error("ENOSPC");
    expect(refusalOf(await quote())[0]).toBe(503);
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
