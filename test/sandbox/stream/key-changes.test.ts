/** The private stream of a key that is changed or revoked through the admin interface, over real connections. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { STREAM_CLOSE } from "../../../src/contract/index.ts";
import { AdminClient } from "../admin/admin-client.ts";
import type { SignedClient } from "../http/signed-client.ts";
import { openVenue, type Venue } from "../http/venue.ts";
import { type StreamClient, streamClients, tokenOf } from "./stream-client.ts";

let venue: Venue;
let admin: AdminClient;
let partner: SignedClient;
const clients = streamClients();
beforeEach(async () => {
  venue = await openVenue({ admin: {} });
  const { url, token } = venue.sandbox.admin ?? { url: "", token: "" };
  admin = new AdminClient({ url, token });
  partner = venue.addKey({ ipAllowList: ["127.0.0.1"] });
});
afterEach(async () => {
  await clients.close();
  await venue.sandbox.close();
  expect(venue.defects).toEqual([]);
});

const key = () => `/keys/${partner.credentials.apiKey}`;
const deposit = () =>
  admin.must("POST", `/accounts/${venue.sandbox.accountId}/deposits`, { asset: "KRW", amount: "777" });

/** A client that is connected and subscribed with a token of its own. */
async function following(who: SignedClient): Promise<StreamClient> {
  const client = await clients.open(venue);
  await client.follow("balances", { token: await tokenOf(who) });
  return client;
}

const withdrawn = [
  ["is revoked", () => admin.must("DELETE", key()), "EAPI:Invalid key"],
  [
    "loses the permission to read",
    () => admin.must("PATCH", key(), { permissions: ["trade"] }),
    "EGeneral:Permission denied",
  ],
  [
    "is kept to other addresses",
    () => admin.must("PATCH", key(), { ip_allow_list: ["10.1.2.3"] }),
    "EAPI:IP not allowed",
  ],
] as const;

describe.each(withdrawn)("a key that %s", (_, withdraw, code) => {
  it("has its connections closed with the reason, and no others", async () => {
    const [one, two, other] = [await following(partner), await following(partner), await following(venue.paper)];
    await withdraw();
    await deposit();
    for (const client of [one, two]) {
      const { code: closed, reason } = await client.ended;
      expect([closed, reason]).toEqual([STREAM_CLOSE.keyWithdrawn, expect.stringContaining(code)]);
      expect(client.frames).toEqual([]);
    }
    expect(await other.event("balances")).toMatchObject({ type: "update" });
  });

  it("opens nothing with an earlier token", async () => {
    const token = await tokenOf(partner);
    await withdraw();
    const client = await clients.open(venue);
    const ack = await client.say({ op: "subscribe", channel: "orders", token });
    expect(ack).toMatchObject({ ok: false, error: { code } });
  });
});

describe("a key that is changed", () => {
  it("keeps its connections when the change does not affect the stream", async () => {
    const client = await following(partner);
    await admin.must("PATCH", key(), {
      permissions: ["query"],
      ip_allow_list: ["::ffff:127.0.0.1"],
      reject_duplicate_userref: true,
    });
    await deposit();
    expect(await client.event("balances")).toMatchObject({ type: "update" });
  });
});
