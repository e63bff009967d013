/** What every store keeps of transfers: one with a request key, the budget of each family, what is told of them in the log. */
import { expect, it } from "vitest";
import type { TransferJournal } from "../../src/desk/index.ts";
import { unwrap } from "../fixture/result.ts";
import type { Place } from "./store-suite.ts";

type Journal = TransferJournal<string, unknown>;
type New = Parameters<Journal["record"]>[0];

const DAY_MS = 86_400_000;
const ENDED = ["denied"];

function transfer(id: string, more: Partial<New> = {}): New {
  return {
    ...{ transferId: id, account: "main", family: "payment", requestKey: `request ${id}`, idempotencyKey: `key ${id}` },
    ...{ state: "ready", unit: "KRW", body: { account: "110-234-567890" }, createdAtMs: 1_000, ...more },
  };
}

export function transferCases({ store, database }: Place): void {
  const journal = (): Journal => store().transfers;
  const send = (held: string) => ({ from: ["ready"], to: "sent", nonce: "7", held, unit: "KRW" as const });
  const begin = async (id: string, krw: string, atMs: number, more: Partial<New> = {}) => {
    await unwrap(journal().record(transfer(id, { createdAtMs: atMs, ...more }), ENDED));
    return unwrap(
      journal().begin(
        id,
        send(krw),
        () => undefined,
        () => atMs,
      ),
    );
  };
  const day = async (family: string, atMs: number) => (await unwrap(journal().usage("main", family, atMs))).day;

  it("keeps a transfer, and gives it back to another process as it was written", async () => {
    const recorded = await unwrap(journal().record(transfer("t1"), ENDED));
    const began = await unwrap(
      journal().begin(
        "t1",
        { ...send("5000"), body: { n: 2 } },
        () => undefined,
        () => 2_000,
      ),
    );
    const after = { ...recorded, state: "sent", nonce: "7", body: { n: 2 }, held: "5000", isLive: true };
    expect(began).toEqual({ begun: { ...after, sentAtMs: 2_000, updatedAtMs: 2_000 } });
    const other = await database().open();
    expect(await unwrap(other.transfers.byId("t1"))).toEqual({ ...after, sentAtMs: 2_000, updatedAtMs: 2_000 });
    expect(await unwrap(other.transfers.byRequestKey("main", "request t1"))).toEqual(
      await unwrap(other.transfers.byId("t1")),
    );
    other.close();
  });

  it("takes one with a request key, until that has ended in a state that was named, and no key twice", async () => {
    const same = { requestKey: "pay p1" };
    await unwrap(journal().record(transfer("t1", same), ENDED));
    expect(await unwrap(journal().record(transfer("t2", same), ENDED))).toBeUndefined();
    expect(await unwrap(journal().record(transfer("t3", { ...same, account: "another" }), ENDED))).toBeDefined();
    await unwrap(journal().advance("t1", { from: ["ready"], to: "denied" }, 2_000));
    expect(await unwrap(journal().record(transfer("t2", same), ENDED))).toMatchObject({ transferId: "t2" });
    expect(await unwrap(journal().byRequestKey("main", "pay p1"))).toMatchObject({ transferId: "t2" });
    await expect(unwrap(journal().record(transfer("t4", { idempotencyKey: "key t2" }), ENDED))).rejects.toThrow(
      /refused a statement/,
    );
  });

  it("is recorded by one of two processes that record the same request at once", async () => {
    const other = await database().open();
    const both = [journal(), other.transfers].map((each, index) =>
      unwrap(each.record(transfer(`t${index}`, { requestKey: "same" }), ENDED)),
    );
    expect((await Promise.all(both)).filter((made) => made !== undefined)).toHaveLength(1);
    other.close();
  });

  it("moves only from the states named, and with the nonce named, and says nothing otherwise", async () => {
    await begin("t1", "1", 1_000);
    expect(await unwrap(journal().advance("t1", { from: ["ready"], to: "done" }, 2_000))).toBeUndefined();
    expect(await unwrap(journal().advance("t1", { from: ["sent"], to: "done", ifNonce: "6" }, 2_000))).toBeUndefined();
    const ifStill = (before: object) => "state" in before && before.state === "done";
    expect(await unwrap(journal().advance("t1", { from: ["sent"], to: "done", ifStill }, 2_000))).toBeUndefined();
    expect(
      await unwrap(
        journal().begin(
          "t1",
          send("1"),
          () => undefined,
          () => 2_000,
        ),
      ),
    ).toBeUndefined();
    const logged = await unwrap(store().audit.recent({ limit: 9 }));
    expect(logged.map(({ event }) => event)).toEqual(["transfer_moved", "transfer_recorded"]);
    expect(await unwrap(journal().advance("t1", { from: ["sent"], to: "done", ifNonce: "7" }, 2_000))).toMatchObject({
      state: "done",
      nonce: "7",
      held: "1",
    });
  });

  it("counts for the day what is on its way, however old, and what ended for 24 hours, each family by itself", async () => {
    await begin("on its way", "10", 1_000);
    await begin("done", "200", 1_000);
    await begin("undone", "4000", 1_000);
    await begin("abroad", "50000", 1_000, { family: "remittance" });
    await begin("another's", "7", 1_000, { account: "another" });
    const hold = (value: string) => ({ value, isLive: false });
    await unwrap(journal().advance("done", { from: ["sent"], to: "done", hold: hold("200") }, 2_000));
    await unwrap(journal().advance("undone", { from: ["sent"], to: "not", hold: hold("0") }, 2_000));
    expect(await day("payment", 3_000)).toBe("210");
    expect(await day("remittance", 3_000)).toBe("50000");
    expect(await day("payment", 2_000 + DAY_MS - 1)).toBe("210");
    expect(await day("payment", 2_000 + DAY_MS)).toBe("10");
  });

  it("lets through no more than the budget when several processes begin at once", async () => {
    const others = await Promise.all([database().open(), database().open()]);
    const journals = [journal(), ...others.map((each) => each.transfers)];
    const ids = ["t1", "t2", "t3"].flatMap((id) => journals.map((each, index) => ({ id: `${id} ${index}`, each })));
    for (const { id } of ids) await unwrap(journal().record(transfer(id), ENDED));
    const admit = ({ day }: { readonly day: string }) =>
      BigInt(day) + 30n > 100n ? { rule: "day_budget" } : undefined;
    const begun = await Promise.all(ids.map(({ id, each }) => unwrap(each.begin(id, send("30"), admit, () => 2_000))));
    expect(begun.filter((each) => each !== undefined && "begun" in each)).toHaveLength(3);
    expect(await day("payment", 2_000)).toBe("90");
    for (const other of others) other.close();
  });

  it("shows the kill switch to the check before sending, and writes nothing when refused", async () => {
    await unwrap(journal().record(transfer("t1"), ENDED));
    await unwrap(store().killSwitch.engage({ reason: "stop", by: "a person", atMs: 1_500 }));
    const admit = ({ killSwitch }: { readonly killSwitch?: object | undefined }) => killSwitch && { rule: "brake" };
    expect(await unwrap(journal().begin("t1", send("1"), admit, () => 2_000))).toEqual({ refused: { rule: "brake" } });
    expect(await unwrap(journal().byId("t1"))).toMatchObject({ state: "ready", held: "0", nonce: null });
    await unwrap(store().killSwitch.release());
  });

  it("shows what is unsure: in the states asked for, or begun since and not acknowledged", async () => {
    for (const id of ["t1", "t2", "t3"]) await begin(id, "1", 1_000);
    await unwrap(journal().record(transfer("t4"), ENDED));
    for (const id of ["t1", "t2"]) await unwrap(journal().advance(id, { from: ["sent"], to: "done" }, 2_000));
    await unwrap(journal().acknowledge("t1"));
    const ids = async (states: string[]) =>
      (await unwrap(journal().unresolvedOrUnacknowledged("main", states, 9))).map((each) => each.transferId);
    expect(await ids([])).toEqual(["t3", "t2"]);
    expect(await ids(["ready"])).toEqual(["t4", "t3", "t2"]);
    expect((await unwrap(journal().inStates("main", ["sent"], 9))).map(({ transferId }) => transferId)).toEqual(["t3"]);
    expect(await unwrap(journal().elsewhere("main", ["sent"], 9))).toEqual([]);
    expect((await unwrap(journal().elsewhere("another", ["sent"], 9))).map(({ transferId }) => transferId)).toEqual([
      "t3",
    ]);
  });

  it("shows to the check before sending what its account has sent since a moment, acknowledged or not", async () => {
    for (const [id, atMs] of [
      ["t1", 1_000],
      ["t2", 2_000],
      ["t3", 5_000],
    ] as const)
      await begin(id, "1", atMs);
    await begin("another's", "1", 2_000, { account: "another" });
    await unwrap(journal().acknowledge("t2"));
    await unwrap(journal().record(transfer("t4"), ENDED));
    const seen: (readonly string[])[] = [];
    const admit = (_: unknown, { unacknowledged: unheard, since }: Parameters<Parameters<Journal["begin"]>[2]>[1]) => {
      for (const list of [unheard, since(2_000), since(2_001)]) seen.push(list.map(({ transferId }) => transferId));
      return undefined;
    };
    await unwrap(journal().begin("t4", { ...send("1"), sinceMs: [2_000, 2_001] }, admit, () => 3_000));
    expect(seen).toEqual([["t3", "t1"], ["t2"], []]);
  });

  it("logs what it is told to say, and never the body; a changed row is found", async () => {
    await unwrap(journal().record(transfer("t1"), ENDED, { beneficiary: "…7890" }));
    await unwrap(journal().advance("t1", { from: ["ready"], to: "denied", detail: { why: "no" } }, 2_000));
    const entries = await unwrap(store().audit.recent({ intentId: "t1", limit: 9 }));
    expect(entries.map(({ detail }) => detail)).toEqual([
      { from: "ready", to: "denied", why: "no" },
      { to: "ready", request_key: "request t1", beneficiary: "…7890" },
    ]);
    expect(JSON.stringify(entries)).not.toContain("234");
    expect(await store().audit.verify()).toMatchObject({ ok: true });
  });
}
