import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { WEBHOOK_TYPES } from "../../../src/contract/index.ts";
import { eventually } from "../../fixture/command.ts";
import { openVenue, type Venue } from "../http/venue.ts";
import { startReceiver, type TestReceiver } from "../webhook/receiver.ts";
import { AdminClient } from "./admin-client.ts";

let venue: Venue;
let admin: AdminClient;
let receiver: TestReceiver;
beforeEach(async () => {
  // A receiver compares a signature's timestamp with its own clock.
  venue = await openVenue({ admin: {}, now: Date.now });
  admin = new AdminClient(venue.sandbox.admin ?? { url: "", token: "" });
});
afterEach(async () => {
  await venue.sandbox.close();
  await receiver?.close();
  expect(venue.defects).toEqual([]);
});

interface Listed {
  readonly delivery_id: number;
  readonly state: string;
  readonly attempts: number;
  readonly event_id: string;
  readonly type: string;
  readonly problem: string | null;
}

const listed = async (query = ""): Promise<readonly Listed[]> =>
  ((await admin.must("GET", `/deliveries${query}`)) as { deliveries: Listed[] }).deliveries;
const HOUR = 3_600_000;

/** Registers the endpoint first, as the secret is created then. */
async function registered(types: readonly string[] = ["order.created"]) {
  const probe = await startReceiver();
  const { port } = new URL(probe.url);
  await probe.close();
  const made = await admin.post("/webhooks", { account_id: "paper", url: `${probe.url}/hook`, types });
  receiver = await startReceiver({ secret: made.json.secret, port: Number(port) });
  return made;
}

describe("webhooks", () => {
  it("are registered with a secret of their own, shown once, and receive events", async () => {
    const { status, json } = await registered();
    expect([status, json]).toEqual([
      201,
      {
        webhook_id: expect.stringMatching(/^wh_[0-9a-f]{16}$/),
        account_id: "paper",
        url: `${receiver.url}/hook`,
        types: ["order.created"],
        created_at: expect.stringMatching(/Z$/),
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
      },
    ]);
    await venue.paper.order();
    await eventually(() => receiver.received.length === 1 || undefined);
    expect(receiver.received).toMatchObject([{ authentic: true, path: "/hook", event: { type: "order.created" } }]);
    const all = await admin.get("/webhooks");
    const { secret, ...shown } = json;
    expect(all.json).toEqual({ webhooks: [shown] });
    expect(all.text).not.toContain(secret);
  });

  it.each([
    ["HTTPS://127.0.0.1:9/", "https://127.0.0.1:9/"],
    [" http://LOCALHOST:80/a/../b ", "http://localhost/b"],
    ["http://127.1", "http://127.0.0.1/"],
  ])("are stored with the URL in its normal form: %j", async (url, kept) => {
    const made = await admin.must("POST", "/webhooks", { account_id: "paper", url });
    expect(made.url).toBe(kept);
    expect(await admin.must("GET", "/webhooks")).toMatchObject({ webhooks: [{ url: kept }] });
  });

  it("are registered here, and not under /v1/, whatever the key's permissions", async () => {
    const hook = { account_id: "paper", url: "http://127.0.0.1:8422/", types: ["order.created"] };
    const { status, json } = await venue.paper.post("/v1/webhooks", hook);
    expect([status, json.error.code]).toEqual([404, "EGeneral:Unknown method"]);
    expect(await admin.must("GET", "/webhooks")).toEqual({ webhooks: [] });
  });

  it("receive all types unless some are named, and nothing once they are removed", async () => {
    const url = "http://127.0.0.1:1/";
    const { webhook_id, types } = await admin.must("POST", "/webhooks", { account_id: "paper", url });
    expect(types).toEqual(WEBHOOK_TYPES);
    expect(await admin.must("DELETE", `/webhooks/${webhook_id}`)).toEqual({ webhook_id, removed: true });
    expect(await admin.must("GET", "/webhooks")).toEqual({ webhooks: [] });
    expect((await admin.send("DELETE", `/webhooks/${webhook_id}`)).status).toBe(404);
  });

  it.each([
    ["another machine", "http://192.168.0.1/", "url"],
    ["the cloud's own", "http://169.254.169.254/", "url"],
    ["every address", "http://0.0.0.0:8420/", "url"],
    ["a user in it", "http://a:b@127.0.0.1/", "url"],
    ["another protocol", "file:///etc/passwd", "url"],
    ["nothing", "", "url"],
  ])("are refused for %s", async (_, url, field) => {
    const { status, json } = await admin.post("/webhooks", { account_id: "paper", url });
    expect([status, json.error.field]).toEqual([400, field]);
    expect(await admin.must("GET", "/webhooks")).toEqual({ webhooks: [] });
  });

  it("are refused for an unknown account, no type, or an unknown type", async () => {
    const url = "http://127.0.0.1:8422/";
    for (const wrong of [{ account_id: "eve" }, { types: [] }, { types: ["order.lost"] }, { secret: "whsec_mine" }])
      expect((await admin.post("/webhooks", { account_id: "paper", url, ...wrong })).status).toBe(400);
  });

  it("may have a URL on another machine if the sandbox serves other machines", async () => {
    const open = await openVenue({ admin: {}, allowRemote: true });
    const client = new AdminClient(open.sandbox.admin ?? { url: "", token: "" });
    const { status } = await client.post("/webhooks", { account_id: "paper", url: "http://192.168.0.1/" });
    await open.sandbox.close();
    expect(status).toBe(201);
  });
});

describe("deliveries", () => {
  it("are listed by state, newest first, with their result", async () => {
    const { json } = await registered();
    receiver.behave(500, 200);
    await venue.paper.order();
    await eventually(async () => (await listed())[0]?.attempts === 1 || undefined);
    await venue.paper.order();
    await eventually(async () => (await listed("?state=delivered")).length === 1 || undefined);
    const [waiting] = await listed(`?webhook_id=${json.webhook_id}`);
    expect(waiting).toMatchObject({ state: "pending", attempts: 1, problem: "answered with status 500" });
    expect(await listed("?webhook_id=wh_other")).toEqual([]);
    await admin.must("POST", "/clock", { advance_ms: HOUR });
    await eventually(async () => (await listed("?state=delivered")).length === 2 || undefined);
    const delivered = await listed("?state=delivered&limit=1");
    expect(delivered).toMatchObject([{ event_id: waiting?.event_id, type: "order.created", problem: null }]);
    expect((await admin.must("GET", "/status")).deliveries).toEqual({
      pending: 0,
      delivered: 2,
      parked: 0,
      dropped: 0,
    });
    for (const query of ["?state=lost", "?limit=0", "?colour=red"])
      expect((await admin.get(`/deliveries${query}`)).status).toBe(400);
  });

  it("are parked and sent again on request, singly or all", async () => {
    await registered();
    receiver.behave(500);
    for (let count = 0; count < 3; count++) await venue.paper.order();
    await eventually(async () => (await listed()).every(({ attempts }) => attempts === 1) || undefined);
    const ids = (await listed()).map(({ delivery_id }) => delivery_id);
    expect(ids).toHaveLength(3);
    for (const id of ids)
      expect(await admin.must("POST", `/deliveries/${id}/park`)).toMatchObject({ state: "parked", delivery_id: id });
    expect((await admin.post(`/deliveries/${ids[0]}/park`)).status).toBe(409);
    await admin.must("POST", "/clock", { advance_ms: HOUR });
    expect(receiver.received).toHaveLength(3);
    receiver.behave(200);
    expect(await admin.must("POST", `/deliveries/${ids[0]}/resend`)).toMatchObject({ state: "pending", attempts: 0 });
    await eventually(async () => (await listed("?state=delivered")).length === 1 || undefined);
    expect(await admin.must("POST", "/deliveries/resend")).toEqual({ resent: 2 });
    await eventually(async () => (await listed("?state=delivered")).length === 3 || undefined);
    expect(receiver.received).toHaveLength(6);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(3);
    for (const path of ["/deliveries/99/resend", "/deliveries/0/park", "/deliveries/x/park"])
      expect((await admin.post(path)).status).toBe(404);
  });
});
