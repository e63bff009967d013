/** A yes by touch: over exactly the order that waits, verified by the desk when it sends, once, and provable from the log. */

import { beforeEach, describe, expect, it } from "vitest";
import { ok } from "../../../src/contract/index.ts";
import {
  approvalDigest,
  type IntentBody,
  type OrderRequest,
  type PasskeyAssertion,
  type Policy,
} from "../../../src/desk/index.ts";
import { verifyTouches } from "../../../src/passkeys/index.ts";
import { has } from "../../fixture/desk-over-sandbox.ts";
import { ORDER_POST } from "../../fixture/fault-proxy.ts";
import { type SoftwarePasskey, softwarePasskey } from "../../fixture/passkey.ts";
import { changeablePolicy, LOOSE } from "../../fixture/policy.ts";
import { unwrap } from "../../fixture/result.ts";
import { type seat as anySeat, openWorldPerTest, world } from "../../fixture/world-per-test.ts";

const CONFIRM: Policy = { ...LOOSE, mode: "confirm" };
const order: OrderRequest = { symbol: "BTC/KRW", side: "buy", type: "limit", base_volume: "0.001", price: "100000000" };
const policy = changeablePolicy(CONFIRM);
let seat: typeof anySeat;
let passkey: SoftwarePasskey;

openWorldPerTest();
beforeEach(async () => {
  policy.value = ok(CONFIRM);
  seat = await world.seat({ policy });
  passkey = await enrolled();
});

async function enrolled(given: Parameters<typeof softwarePasskey>[0] = {}): Promise<SoftwarePasskey> {
  const made = softwarePasskey(given);
  expect(await unwrap(world.store.passkeys.enrol(made.enrolled, "the PIN"))).toBe("enrolled");
  return made;
}

async function asked(request: Partial<OrderRequest> = {}): Promise<{ id: string; digest: string; next: string }> {
  const { intent_id: id = "", next_action: next = "" } = await seat.desk.place({ ...order, ...request });
  const { pending } = await unwrap(seat.desk.pending());
  return { id, next, digest: pending.find(({ intent_id }) => intent_id === id)?.digest ?? "" };
}

const approve = ({ id, digest }: { id: string; digest: string }, assertion?: PasskeyAssertion) =>
  seat.desk.approve(id, "passkey", digest, assertion);
const sent = () => world.proxy.deliveries(ORDER_POST);
/** Two rows: it is removed before anything else happens. */
function removedAtOnce(line: string): string {
  return line.includes("passkey_enrolled") ? `${line}\n${line.replace("passkey_enrolled", "passkey_removed")}` : line;
}

/** A row that enrols another passkey under the same name. */
function swappedKey(line: string): string {
  const { publicKey } = softwarePasskey().enrolled;
  return line.replace(/"public_key":"[^"]+"/, `"public_key":"${publicKey}"`);
}
const events = async () => unwrap(world.store.audit.recent({ limit: 100 }));

describe("an order that waits", () => {
  it("is placed once by a touch over its digest, and the log alone proves it", async () => {
    const question = await asked();
    expect(question.next).toContain("in hoga's console with their passkey");
    const assertion = passkey.sign({ challenge: question.digest, counter: 1 });
    expect(await approve(question, assertion)).toMatchObject({ outcome: "accepted", state: "open" });
    expect(sent()).toBe(1);
    const again = await approve(question, assertion);
    expect(again).toMatchObject({ outcome: "accepted", state: "open" });
    expect(again.warnings.join()).toContain("nothing was sent now");
    expect(sent()).toBe(1);
    const log = await events();
    const approved = log.find(({ detail }) => detail["to"] === "approved")?.detail["body"] as IntentBody;
    expect(approved.approval).toMatchObject({ digest: question.digest, approvedBy: "passkey", assertion });
    expect(await verifyTouches(world.store.audit, approvalDigest)).toEqual({ ok: true, count: 1 });
    expect(log.filter(({ event }) => event === "passkey_used")).toMatchObject([
      { detail: { purpose: `approve ${question.id}`, counter: 1 } },
    ]);
  });

  it.each<[string, (line: string) => string, RegExp]>([
    ["the order is another", (line) => line.replaceAll('"100000000"', '"99000000"'), /not the order/],
    ["it is about another intent", (line) => line.replace(/"intent_id":"./, '"intent_id":"_'), /not the order/],
    ["the key is another's", swappedKey, /signature is not the passkey's/],
    ["nobody had enrolled it", (line) => (line.includes("passkey_enrolled") ? "{}" : line), /not enrolled then/],
    ["it had been removed", removedAtOnce, /not enrolled then/],
    ["it is of another host", (line) => line.replaceAll('"rp_id":"localhost"', '"rp_id":"other"'), /another host/],
    ["nothing was signed", (line) => line.replace(/"assertion":\{[^}]*\},/, ""), /holds nothing/],
  ])("is not proven by a log in which %s", async (_, change, why) => {
    const question = await asked();
    await approve(question, passkey.sign({ challenge: question.digest }));
    const changed = {
      export: (write: (line: string) => void) =>
        world.store.audit.export((line) => {
          for (const each of change(line).split("\n")) write(each);
        }),
    };
    expect(await verifyTouches(changed, approvalDigest)).toEqual({
      ...{ ok: false, seq: expect.any(Number), why: expect.stringMatching(why) },
    });
  });

  it("is placed once where the same touch comes twice at once", async () => {
    const question = await asked();
    const assertion = passkey.sign({ challenge: question.digest });
    const other = await world.seat({ policy });
    const reports = await Promise.all([
      approve(question, assertion),
      other.desk.approve(question.id, "passkey", question.digest, assertion),
    ]);
    // The other finds it on its way, or open.
    expect(reports.map(({ outcome }) => outcome)).toContain("accepted");
    expect(sent()).toBe(1);
  });

  it("goes on waiting when what comes is no touch of this order, and the log says that it was tried", async () => {
    const [question, other] = [await asked(), await asked({ base_volume: "0.002" })];
    const unknown = softwarePasskey();
    const removed = await enrolled();
    await unwrap(world.store.passkeys.remove(removed.enrolled.credentialId, 9, "lost"));
    const elsewhere = await enrolled({ rpId: "hoga.example" });
    const forged = softwarePasskey({ credentialId: passkey.enrolled.credentialId });
    const { digest: challenge } = question;
    const bad: Record<string, PasskeyAssertion | undefined> = {
      "without a passkey's signature": undefined,
      "another question": passkey.sign({ challenge: other.digest }),
      "another address": passkey.sign({ challenge, origin: "http://127.0.0.1:8421" }),
      "verify the person": passkey.sign({ challenge, isVerified: false }),
      "Nobody touched": passkey.sign({ challenge, isPresent: false }),
      "The signature is not": forged.sign({ challenge }),
      "is not enrolled": unknown.sign({ challenge }),
      "or was removed": removed.sign({ challenge }),
      "another host": elsewhere.sign({ challenge }),
    };
    for (const [why, assertion] of Object.entries(bad)) {
      const report = await approve(question, assertion);
      expect(report).toMatchObject({
        outcome: "not_sent",
        state: "awaiting_approval",
        error: { code: "ELocal:Not approved" },
      });
      expect(report.error?.message).toContain(why);
    }
    expect(sent()).toBe(0);
    const refused = (await events()).filter(({ event }) => event === "approval_refused");
    expect(refused.map(({ intentId }) => intentId)).toEqual(Array(Object.keys(bad).length - 1).fill(question.id));
    expect((await events()).some(({ event }) => event === "passkey_used")).toBe(false);
    expect(await approve(question, passkey.sign({ challenge }))).toMatchObject({ outcome: "accepted" });
  });

  it("is not placed by a touch of one that has counted further, which a copy would not know", async () => {
    const [one, two] = [await asked(), await asked({ base_volume: "0.002" })];
    expect(await approve(one, passkey.sign({ challenge: one.digest, counter: 9 }))).toMatchObject({
      outcome: "accepted",
    });
    const report = await approve(two, passkey.sign({ challenge: two.digest, counter: 9 }));
    expect(report.error?.message).toContain("more often than it says");
    expect(await approve(two, passkey.sign({ challenge: two.digest, counter: 10 }))).toMatchObject({
      outcome: "accepted",
    });
    expect(sent()).toBe(2);
  });

  it.runIf(has("patient"))(
    "is not placed by a touch that came too late, nor by one over what stands no more",
    async () => {
      const late = await asked({ userref: "late" });
      const assertion = passkey.sign({ challenge: late.digest });
      world.clock.skewMs = CONFIRM.approvalTtlMs + 1_000;
      expect(await approve(late, assertion)).toMatchObject({ outcome: "not_sent", state: "not_placed" });
      const denied = await asked({ userref: "denied" });
      await unwrap(seat.desk.deny(denied.id));
      const report = await approve(denied, passkey.sign({ challenge: denied.digest }));
      expect(report).toMatchObject({ outcome: "not_sent", state: "denied" });
      expect(sent()).toBe(0);
    },
  );

  it("waits on where the policy takes no passkey, and nobody is told to use one", async () => {
    policy.value = ok({ ...CONFIRM, approveBy: ["pin"] });
    const question = await asked();
    expect(question.next).not.toContain("passkey");
    const report = await approve(question, passkey.sign({ challenge: question.digest }));
    expect(report.error?.message).toBe("The policy does not take approval by passkey (approve_by).");
    policy.value = ok({ ...CONFIRM, approveBy: ["passkey"] });
    const pin = await seat.desk.approve(question.id, "pin", question.digest);
    expect(pin.error?.message).toBe("The policy does not take approval by pin (approve_by).");
    expect(sent()).toBe(0);
    expect((await asked({ userref: "told" })).next).toMatch(
      /^A person has to approve it in hoga's console with their passkey\. /,
    );
  });

  it("is not placed for real money by a passkey that nobody with the PIN has enrolled", async () => {
    const practice = await enrolled({ isProven: false });
    seat = await world.seat({ policy, forRealMoney: true });
    const question = await asked();
    const report = await approve(question, practice.sign({ challenge: question.digest }));
    expect(report.error?.message).toContain("enrolled without the PIN");
    expect(sent()).toBe(0);
    expect(await approve(question, passkey.sign({ challenge: question.digest }))).toMatchObject({
      outcome: "accepted",
    });
  });

  it("is not placed by a PIN that comes with a signature", async () => {
    const question = await asked();
    const assertion = passkey.sign({ challenge: question.digest });
    const report = await seat.desk.approve(question.id, "pin", question.digest, assertion);
    expect(report).toMatchObject({ outcome: "not_sent", state: "awaiting_approval" });
    expect(sent()).toBe(0);
  });
});
