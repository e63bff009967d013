import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type OpenedExchange, openExchange } from "../../../src/sandbox/engine/index.ts";
import { type Disk, NODE_DISK } from "../../../src/sandbox/engine/storage/disk.ts";
import { familiesOf } from "../../../src/sandbox/families.ts";
import { type ApiServer, createApiServer } from "../../../src/sandbox/http/server.ts";
import { ensurePaperAccount } from "../../../src/sandbox/paper-account.ts";
import { createService, DEFAULT_LIMITS } from "../../../src/sandbox/service/service.ts";
import { SignedClient } from "../http/signed-client.ts";
import { freshKey, refusalOf } from "./transfer-venue.ts";

/** A disk whose writes and syncs can be made to fail, or to wait. */
const trouble: { write?: Error | undefined; sync?: Error | undefined; held?: Promise<void> | undefined } = {};
const disk: Disk = {
  ...NODE_DISK,
  write(file, line) {
    if (trouble.write !== undefined) throw trouble.write;
    NODE_DISK.write(file, line);
  },
  async sync(file) {
    await trouble.held;
    if (trouble.sync !== undefined) throw trouble.sync;
    await NODE_DISK.sync(file);
  },
};

let dir: string;
let opened: OpenedExchange;
let front: ApiServer;
let client: SignedClient;

beforeEach(async () => {
  trouble.write = trouble.sync = trouble.held = undefined;
  dir = await mkdtemp(join(tmpdir(), "sandbox-drafts-disk-"));
  const now = Date.now;
  opened = await openExchange({ dir, seed: 1, marketMaker: false, now, disk });
  const key = { accountId: "paper", apiKey: "key", apiSecret: randomBytes(64).toString("base64") };
  await ensurePaperAccount(opened, key, now(), { drafts: true });
  const service = createService({ journaled: opened, limits: DEFAULT_LIMITS, now, randomBytes, onDefect: () => {} });
  front = createApiServer(service, familiesOf(service, { drafts: true }));
  await new Promise<void>((resolve) => front.server.listen(0, "127.0.0.1", resolve));
  client = new SignedClient(`http://127.0.0.1:${(front.server.address() as AddressInfo).port}`, key);
});
afterEach(async () => {
  await front.close(100);
  await opened.close().catch(() => {});
  await rm(dir, { recursive: true, force: true });
});

const QUOTES = "/v0.1/remittances/quotes";
const asked = { source_asset: "KRW", target_currency: "USD", amount: "138000", destination_country: "US" };
const quote = (key: string = freshKey()) => client.post(QUOTES, asked, { headers: { "Idempotency-Key": key } });

describe("an answer of the drafts", () => {
  it("waits for the disk: to what moves money, to the same request again, and to whoever asks what became of it", async () => {
    const key = freshKey();
    const { json } = await quote(key);
    let release = () => {};
    trouble.held = new Promise((resolve) => {
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
    await until(() => opened.exchange.answerTo("paper", "r-1") !== undefined);
    const waiting = [
      made,
      send(),
      client.get("/v0.1/remittances?idempotency_key=r-1"),
      client.get("/v0.1/remittances"),
    ];
    for (const reply of waiting) void reply.then(count);
    // A public call goes through meanwhile, so the others had their turn.
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
  it("at the sync, what became of the request is unknown, and no question about it is answered as if it were known", async () => {
    const key = freshKey();
    trouble.sync = new Error("EIO: secret path");
    const reply = await quote(key);
    expect(refusalOf(reply).slice(0, 2)).toEqual([503, "EService:Unavailable"]);
    expect(reply.text).not.toContain("EIO");
    for (const target of [`/v0.1/payments?idempotency_key=${key}`, "/v0.1/remittances"])
      expect(refusalOf(await client.get(target))[0]).toBe(503);
  });

  it("at the write, nothing is said to be done", async () => {
    trouble.write = new Error("ENOSPC");
    expect(refusalOf(await quote())[0]).toBe(503);
  });
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}
