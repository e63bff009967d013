import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Reply, SignedClient } from "../http/signed-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";
import { AdminClient } from "./admin-client.ts";

let venue: Venue;
let admin: AdminClient;
let paper: SignedClient;
beforeEach(async () => {
  venue = await openVenue({ admin: {} });
  admin = new AdminClient(venue.sandbox.admin ?? { url: "", token: "" });
  ({ paper } = venue);
});
afterEach(async () => {
  await venue.sandbox.close();
  expect(venue.defects).toEqual([]);
});

const plan = (terms: object) => admin.must("POST", "/faults", { path: "/v1/orders", ...terms });
const orders = () => venue.sandbox.exchange.orders("paper", { limit: 100 }).orders.length;
const lost = (sent: Promise<Reply>) => sent.then(() => "answered").catch(() => "lost");

describe("a planned fault", () => {
  it("delivers a request late, never or twice", async () => {
    await plan({ kind: "late_delivery", after_ms: 200 });
    expect([await lost(paper.order()), orders()]).toEqual(["lost", 0]);
    await expect.poll(orders).toBe(1);
    await plan({ kind: "swallow" });
    expect(await lost(paper.order())).toBe("lost");
    await pause(50);
    expect(orders()).toBe(1);
    await plan({ kind: "double_delivery" });
    expect((await paper.order()).json.error.code).toBe("EAPI:Invalid nonce");
    expect(orders()).toBe(2);
  });

  it("refuses everything for a while when its kind is ban", async () => {
    await plan({ kind: "ban", status: 418, for_ms: 5_000, path: "*" });
    expect((await paper.get("/v1/accounts")).status).toBe(418);
    venue.clock.now += 4_999;
    const { status, json, headers } = await paper.order();
    expect([status, json.error.code, headers["retry-after"]]).toEqual([418, "EAPI:Rate limit exceeded", "1"]);
    expect((await admin.must("GET", "/faults")).faults).toMatchObject([{ kind: "ban", status: 418, for_ms: 5_000 }]);
    venue.clock.now += 1;
    expect((await paper.order()).status).toBe(201);
    expect((await admin.must("GET", "/faults")).faults).toEqual([]);
  });

  it("answers something else, with effect or without", async () => {
    await plan({ kind: "odd_answer", body: "<html>점검 중</html>", status: 503 });
    const { status, text, headers } = await paper.order();
    expect([status, text, headers["content-type"], orders()]).toEqual([503, "<html>점검 중</html>", "text/html", 0]);
    await plan({ kind: "odd_answer", body: "{}", content_type: "application/json", applied: true });
    expect([(await paper.order()).json, orders()]).toEqual([{}, 1]);
    await plan({ kind: "clock_skew", ms: 3_600_000 });
    const { date = "" } = (await paper.order()).headers;
    expect(Date.parse(date) - venue.clock.now).toBeGreaterThan(3_590_000);
  });

  it("lists what can be injected, and refuses what the family cannot do", async () => {
    const { kinds } = await admin.must("GET", "/faults/kinds");
    expect(Object.keys(kinds)).toContain("odd_answer");
    expect(kinds).not.toHaveProperty("read_lag");
    expect((await admin.post("/faults", { kind: "read_lag", ms: 5, path: "*" })).status).toBe(400);
  });

  it.each([
    ["a ban with another status", { kind: "ban", status: 403, for_ms: 5 }],
    ["a ban with a count", { kind: "ban", status: 418, for_ms: 5, count: 2 }],
    ["an odd answer without one", { kind: "odd_answer" }],
    ["an odd answer with a header in its type", { kind: "odd_answer", body: "", content_type: "a\r\nb: c" }],
    ["a late delivery without a time", { kind: "late_delivery" }],
  ])("is refused when it is %s", async (_, terms) => {
    expect((await admin.post("/faults", { path: "*", ...terms })).status).toBe(400);
  });
});
