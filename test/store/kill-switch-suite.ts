/** What every store keeps of the kill switch: one for all, on for everybody from the moment it is said to be. */
import { expect, it } from "vitest";
import { unwrap } from "../fixture/result.ts";
import { newIntent } from "./intent.ts";
import type { Place } from "./store-suite.ts";
import type { Halted } from "./worker.ts";

const record = { reason: "enough 호가", by: "test", atMs: 1_000 };
const send = { from: ["ready"], to: "sent", nonce: "1", held: "1", unit: "KRW" as const };

export function brakeCases({ store, database, workers }: Place): void {
  it("is off, on, and off again, for every store at once", async () => {
    const other = await database().open();
    expect(await unwrap(other.killSwitch.state())).toBeUndefined();
    await unwrap(store().killSwitch.engage(record));
    expect(await unwrap(other.killSwitch.state())).toEqual(record);
    expect((await unwrap(other.journal.usage("main", 2_000))).killSwitch).toEqual(record);
    await unwrap(other.killSwitch.release());
    expect(await unwrap(store().killSwitch.state())).toBeUndefined();
    await unwrap(store().killSwitch.release());
    expect((await unwrap(store().journal.usage("main", 2_000))).killSwitch).toBeUndefined();
    other.close();
  });

  it("is told to whoever admits an order", async () => {
    await unwrap(store().journal.record(newIntent("i1")));
    await unwrap(store().killSwitch.engage(record));
    expect(
      await unwrap(
        store().journal.begin(
          "i1",
          send,
          ({ killSwitch: brake }) => brake,
          () => 2_000,
        ),
      ),
    ).toEqual({ refused: record });
    await unwrap(store().killSwitch.release());
    expect(
      await unwrap(
        store().journal.begin(
          "i1",
          send,
          ({ killSwitch: brake }) => brake,
          () => 2_000,
        ),
      ),
    ).toHaveProperty("begun");
  });

  it("keeps who engaged it first, until it is released", async () => {
    await unwrap(store().killSwitch.engage(record));
    await unwrap(store().killSwitch.engage({ reason: "me too", by: "late", atMs: 2_000 }));
    expect(await unwrap(store().killSwitch.state())).toEqual(record);
    await unwrap(store().killSwitch.release());
    await unwrap(store().killSwitch.engage({ reason: "again", by: "late", atMs: 3_000 }));
    expect(await unwrap(store().killSwitch.state())).toMatchObject({ reason: "again" });
  });

  it("stays on when everything is opened again", async () => {
    await unwrap(store().killSwitch.engage(record));
    store().close();
    const again = await database().open();
    expect(await unwrap(again.killSwitch.state())).toEqual(record);
    again.close();
  });

  it("engaged in one process, lets no order begin after that in any other", async () => {
    const { location } = database();
    const trading = ["a", "b", "c"].map((prefix) => workers().start({ role: "begin-until-halted", location, prefix }));
    await Promise.all(trading.map((worker) => worker.first));
    const [engagedAtUs] = await workers().run<number>([{ role: "engage", location, by: "process" }]);
    for (const worker of trading) {
      await expect.poll(() => worker.told.length, { timeout: 10_000 }).toBe(2);
      const { lastBegunAtUs, brake } = worker.told[1] as Halted;
      expect(lastBegunAtUs).toBeLessThan(engagedAtUs ?? 0);
      expect(brake).toEqual({ reason: "enough", by: "process", atMs: 7 });
    }
    const begun = trading.map((worker) => (worker.told[1] as Halted).begun);
    expect(await unwrap(store().journal.inStates("main", ["sent"], 10_000))).toHaveLength(
      begun.reduce((a, b) => a + b, 0),
    );
  });
}
