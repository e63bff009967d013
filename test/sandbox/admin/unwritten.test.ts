/** What the admin interface shows of calls whose records wait to be written. Source: decision 0055. */
import { randomBytes } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { adminFamily } from "../../../src/sandbox/admin/admin-family.ts";
import { FaultPlan } from "../../../src/sandbox/admin/fault-plan.ts";
import { type OpenedExchange, openExchange } from "../../../src/sandbox/engine/index.ts";
import { type Family, requestHead } from "../../../src/sandbox/http/family.ts";
import { ensurePaperAccount } from "../../../src/sandbox/paper-account.ts";
import { createService, DEFAULT_LIMITS } from "../../../src/sandbox/service/service.ts";
import { WebhookService } from "../../../src/sandbox/webhook/webhook-service.ts";
import { krw, order } from "../engine/exchange-kit.ts";
import { FaultyDisk, PAPER_KEY } from "../http/faulty-disk.ts";

const now = Date.now;
let dir: string;
let disk: FaultyDisk;
let opened: OpenedExchange;
let family: Family;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), "hoga-admin-"));
  disk = new FaultyDisk();
  opened = await openExchange({ dir, seed: 1, marketMaker: false, now, disk });
  await ensurePaperAccount(opened, PAPER_KEY, now());
  const service = createService({ journaled: opened, limits: DEFAULT_LIMITS, now, randomBytes, onDefect: () => {} });
  const webhooks = new WebhookService(undefined, randomBytes);
  const more = {
    webhooks,
    faults: new FaultPlan(now),
    effects: [],
    machineTime: now,
    aheadMs: () => 0,
    allowRemote: false,
  };
  family = adminFamily({ service, ...more, randomBytes, token: "token", port: () => 1 });
});
afterEach(async () => {
  await opened.close().catch(() => {});
  rmSync(dir, { recursive: true });
});

/** As a call does whose answer waits for the disk. @returns the id of its order */
function placed(): string {
  const buying = order({ accountId: "paper", side: "buy", price: krw(90_000_000), volume: 100_000n });
  expect(opened.applyUnwritten(buying, now()).ok).toBe(true);
  return buying.orderId;
}

const locked = () => {
  const head = requestHead("GET", "/accounts/paper", { host: "127.0.0.1:1", authorization: "Bearer token" }, undefined);
  expect(family.admit(head)).toBeUndefined();
  const { reply, unsaved } = family.answer(head, Buffer.alloc(0));
  expect(unsaved).toBeUndefined();
  const { balances = [] } = JSON.parse(reply.text) as { balances?: { asset: string; locked: string }[] };
  return [reply.status, balances.find(({ asset }) => asset === "KRW")?.locked];
};

const written = (): string =>
  readdirSync(dir)
    .filter((name) => name.startsWith("journal"))
    .map((name) => readFileSync(join(dir, name), "utf8"))
    .join("");

describe("an answer of the admin interface that shows a call whose record waits to be written", () => {
  it("leaves after the record was written", () => {
    const orderId = placed();
    expect(written()).not.toContain(orderId);
    expect(locked()).toEqual([200, "90045"]);
    expect(written()).toContain(orderId);
  });

  it("is an outage where it cannot be written", () => {
    placed();
    disk.writeError = new Error("ENOSPC");
    expect(locked()).toEqual([503, undefined]);
    expect(opened.failed).toContain("ENOSPC");
  });
});
