import { appendFileSync, mkdtempSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Disk } from "../../../src/sandbox/engine/storage/disk.ts";
import { NODE_DISK } from "../../../src/sandbox/engine/storage/disk.ts";
import { Outbox, type OutboxSettings } from "../../../src/sandbox/webhook/outbox.ts";
import { OutboxFile } from "../../../src/sandbox/webhook/outbox-file.ts";
import { BY_HAND, type OutboxLimits, OutboxState, OVERFLOW } from "../../../src/sandbox/webhook/outbox-state.ts";

const T0 = 1_000_000;
const NEVER = Number.MAX_SAFE_INTEGER;

let dir: string;
let path: string;
const open: Outbox[] = [];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "hoga-outbox-"));
  path = join(dir, "webhooks.log");
});
afterEach(() => {
  for (const outbox of open.splice(0)) outbox.close();
  rmSync(dir, { recursive: true });
});

function outboxOf(settings: OutboxSettings = {}): Outbox {
  const outbox = Outbox.open(settings);
  open.push(outbox);
  return outbox;
}

const eventsOf = (change: number, to: readonly string[] = ["one"], count = 1) => ({
  change,
  at: T0 + change,
  events: Array.from({ length: count }, (_, index) => ({
    id: `evt_${change}_${index}`,
    type: "order.filled" as const,
    accountId: "ann",
    body: `{"id":"evt_${change}_${index}"}`,
    to,
  })),
});

/** Everything that can be seen of an outbox. */
const shown = (outbox: Outbox) =>
  (["pending", "parked", "delivered"] as const).map((state) => outbox.inState(state).map((each) => ({ ...each })));

/** Records the events of a command, and releases them. */
function recorded(outbox: Outbox, ...given: Parameters<typeof eventsOf>): void {
  outbox.record(eventsOf(...given));
  outbox.release(outbox.mark());
}

describe("a delivery", () => {
  it("is handed out when it is due, once for each endpoint, and never twice at the same time", () => {
    const outbox = outboxOf();
    recorded(outbox, 1, ["one", "two"], 2);
    expect(outbox.take("one", T0)).toBeUndefined();
    const [first, second] = [outbox.take("one", T0 + 1), outbox.take("one", T0 + 1)];
    expect([first?.event.id, second?.event.id, outbox.take("one", NEVER)]).toEqual(["evt_1_0", "evt_1_1", undefined]);
    expect(outbox.take("two", NEVER)?.event).toEqual(first?.event);
    expect(outbox.take("three", NEVER)).toBeUndefined();
  });

  it("is held until its command is on disk", () => {
    const outbox = outboxOf();
    outbox.record(eventsOf(1));
    const mark = outbox.mark();
    outbox.record(eventsOf(2));
    expect([outbox.hasUnreleased, outbox.take("one", NEVER)]).toEqual([true, undefined]);
    outbox.release(mark);
    expect(outbox.take("one", NEVER)?.event.id).toBe("evt_1_0");
    expect([outbox.hasUnreleased, outbox.take("one", NEVER)]).toEqual([true, undefined]);
    outbox.release(outbox.mark());
    expect([outbox.hasUnreleased, outbox.take("one", NEVER)?.event.id]).toEqual([false, "evt_2_0"]);
  });

  it("is due again at the time given, and never once it was accepted or parked", () => {
    const outbox = outboxOf();
    recorded(outbox, 1);
    const number = outbox.take("one", NEVER)?.number ?? 0;
    outbox.finish(number, T0 + 5, "status 500", T0 + 50);
    expect(outbox.delivery(number)).toMatchObject({
      state: "pending",
      attempts: 1,
      at: T0 + 50,
      problem: "status 500",
    });
    expect([outbox.dueAt("one"), outbox.take("one", T0 + 49)]).toEqual([T0 + 50, undefined]);
    expect(outbox.take("one", T0 + 50)?.number).toBe(number);
    outbox.finish(number, T0 + 51, null, null);
    expect(outbox.delivery(number)).toMatchObject({ state: "delivered", attempts: 2, at: T0 + 51, problem: null });
    recorded(outbox, 2);
    const other = outbox.take("one", NEVER)?.number ?? 0;
    outbox.finish(other, T0 + 60, "status 410", null);
    expect(outbox.delivery(other)).toMatchObject({ state: "parked", attempts: 1, at: T0 + 60, problem: "status 410" });
    expect([outbox.dueAt("one"), outbox.take("one", NEVER)]).toEqual([undefined, undefined]);
  });

  it("can be parked and sent again by hand, also while it is in flight", () => {
    const outbox = outboxOf();
    recorded(outbox, 1);
    const number = 1;
    expect([outbox.resend(number, T0), outbox.resend(99, T0), outbox.park(99, T0)]).toEqual([false, false, false]);
    expect([outbox.park(number, T0 + 5), outbox.park(number, T0 + 6)]).toEqual([true, false]);
    expect(outbox.delivery(number)).toMatchObject({ state: "parked", problem: BY_HAND });
    expect(outbox.take("one", NEVER)).toBeUndefined();
    expect(outbox.resend(number, T0 + 10)).toBe(true);
    expect([outbox.take("one", T0 + 9), outbox.take("one", T0 + 10)?.number]).toEqual([undefined, number]);
    // It is in flight now; the outcome of this attempt changes nothing after it was parked.
    outbox.park(number, T0 + 11);
    outbox.finish(number, T0 + 12, "status 500", T0 + 20);
    expect([outbox.delivery(number)?.state, outbox.take("one", NEVER)]).toEqual(["parked", undefined]);
    // Sent again while in flight: not handed out twice.
    outbox.resend(number, T0 + 30);
    expect(outbox.take("one", NEVER)?.number).toBe(number);
    outbox.park(number, T0 + 31);
    outbox.resend(number, T0 + 32);
    expect(outbox.take("one", NEVER)).toBeUndefined();
    outbox.finish(number, T0 + 33, null, null);
    expect(outbox.delivery(number)).toMatchObject({ state: "delivered", attempts: 1 });
    // What was delivered can be sent once more.
    expect([outbox.resend(number, T0 + 40), outbox.take("one", NEVER)?.number]).toEqual([true, number]);
  });

  it("is removed with its endpoint", () => {
    const outbox = outboxOf();
    recorded(outbox, 1, ["one", "two"]);
    outbox.keepOnly(new Set(["two"]));
    expect(outbox.take("one", NEVER)).toBeUndefined();
    expect(outbox.take("two", NEVER)).toBeDefined();
    expect(outbox.count("pending")).toBe(1);
  });

  it("is recorded once for a command, and removed for a command that the exchange lost", () => {
    const outbox = outboxOf();
    for (const change of [1, 2, 2, 1, 3]) outbox.record(eventsOf(change));
    expect([outbox.count("pending"), outbox.change]).toEqual([3, 3]);
    outbox.undo(2);
    outbox.release(outbox.mark());
    expect([outbox.count("pending"), outbox.change]).toEqual([2, 2]);
    outbox.undo(2);
    recorded(outbox, 3);
    const ids = [1, 2, 3, 4].map(() => outbox.take("one", NEVER)?.event.id);
    expect(ids).toEqual(["evt_1_0", "evt_2_0", "evt_3_0", undefined]);
  });
});

describe("the number of deliveries kept", () => {
  const limits: OutboxLimits = { pending: 3, parked: 2, delivered: 1 };

  it("is bounded: the oldest is parked, then dropped and counted", () => {
    const outbox = outboxOf({ limits });
    for (let change = 1; change <= 7; change++) recorded(outbox, change);
    expect(outbox.inState("pending").map(({ event }) => event.id)).toEqual(["evt_5_0", "evt_6_0", "evt_7_0"]);
    expect(outbox.inState("parked")).toMatchObject([
      { event: { id: "evt_3_0" }, problem: OVERFLOW },
      { event: { id: "evt_4_0" }, problem: OVERFLOW },
    ]);
    expect(outbox.dropped).toBe(2);
    for (let count = 0; count < 3; count++) outbox.finish(outbox.take("one", NEVER)?.number ?? 0, T0 + 9, null, null);
    expect(outbox.inState("delivered").map(({ event }) => event.id)).toEqual(["evt_7_0"]);
    expect(outbox.take("one", NEVER)).toBeUndefined();
  });

  it("is bounded for each endpoint alone: events of one leave the waiting deliveries of another", () => {
    const outbox = outboxOf({ limits });
    recorded(outbox, 1, ["quiet"], 3);
    outbox.park(1, T0 + 1);
    outbox.finish(outbox.take("quiet", NEVER)?.number ?? 0, T0 + 1, null, null);
    for (let change = 2; change <= 20; change++) recorded(outbox, change, ["loud"]);
    for (let count = 0; count < 3; count++) outbox.finish(outbox.take("loud", NEVER)?.number ?? 0, T0 + 9, null, null);
    const ofQuiet = (["parked", "delivered", "pending"] as const).map((state) =>
      outbox.inState(state).filter(({ webhookId }) => webhookId === "quiet"),
    );
    expect(ofQuiet).toMatchObject([[{ problem: BY_HAND }], [{ problem: null }], [{ problem: null }]]);
    expect([outbox.count("parked"), outbox.count("delivered"), outbox.count("pending")]).toEqual([3, 2, 1]);
  });

  it("hands out none twice that was parked over the limit and sent again", () => {
    const outbox = outboxOf({ limits });
    for (let change = 1; change <= 4; change++) recorded(outbox, change);
    outbox.resend(1, T0 + 50);
    const given = [1, 2, 3, 4, 5].map(() => outbox.take("one", NEVER)?.event.id);
    expect(given).toEqual(["evt_2_0", "evt_3_0", "evt_4_0", "evt_1_0", undefined]);
  });
});

describe("an outbox on disk", () => {
  const reopened = (settings: OutboxSettings = {}) => outboxOf({ path, ...settings });

  it("is readable by its owner alone, and is the same when it is opened again", () => {
    const outbox = reopened();
    recorded(outbox, 1, ["one", "two"], 3);
    outbox.finish(outbox.take("one", NEVER)?.number ?? 0, T0 + 5, null, null);
    outbox.finish(outbox.take("one", NEVER)?.number ?? 0, T0 + 6, "status 500", T0 + 99);
    outbox.finish(outbox.take("two", NEVER)?.number ?? 0, T0 + 7, "status 500", null);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    const again = reopened();
    expect(shown(again)).toEqual(shown(outbox));
    expect(again.change).toBe(1);
    // One that was in flight is handed out again.
    outbox.take("two", NEVER);
    expect(again.take("two", NEVER)?.event.id).toBe("evt_1_1");
  });

  it("loses nothing but a record that was cut off while it was written", () => {
    const outbox = reopened();
    for (let change = 1; change <= 5; change++) recorded(outbox, change);
    const whole = statSync(path).size;
    recorded(outbox, 6);
    for (const cut of [1, 7, statSync(path).size - whole - 1]) {
      truncateSync(path, statSync(path).size - cut);
      const again = reopened();
      expect(again.change).toBe(5);
      expect(again.count("pending")).toBe(5);
      recorded(again, 6);
      expect(reopened().change).toBe(6);
    }
  });

  it("is refused with file and offset when a record in the middle is damaged, or it is another file", () => {
    const outbox = reopened();
    for (let change = 1; change <= 3; change++) recorded(outbox, change);
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.replace("evt_2_0", "evt_X_0"));
    expect(() => reopened()).toThrow(/webhooks\.log: damaged record with sound ones behind it, at byte \d+/);
    writeFileSync(path, "");
    appendFileSync(path, text.split("\n")[1] ?? "");
    expect(() => reopened()).toThrow(/not a hoga-outbox file, at byte 0/);
  });

  it("is compacted without a change to what it holds", () => {
    const outbox = reopened();
    recorded(outbox, 1, ["one"], 500);
    const long = "x".repeat(10_000);
    let shortest = Number.POSITIVE_INFINITY;
    let last = 0;
    for (let count = 0; count < 1_000; count++) {
      const number = outbox.take("one", NEVER)?.number ?? 0;
      outbox.finish(number, T0, `${long}${count}`, count % 2 === 0 ? T0 : null);
      if (count % 2 === 1) outbox.resend(number, T0);
      const { size } = statSync(path);
      if (size < last) shortest = Math.min(shortest, size);
      last = size;
    }
    expect(shortest).toBeLessThan(Number.POSITIVE_INFINITY);
    expect(statSync(path).size).toBeLessThan(1_000 * long.length);
    expect(shown(reopened())).toEqual(shown(outbox));
  });

  it("records nothing after a failed write, and says why", () => {
    let broken = false;
    const disk: Disk = {
      write: (file, bytes) => {
        if (broken) throw new Error("ENOSPC");
        NODE_DISK.write(file, bytes);
      },
      sync: (file) => NODE_DISK.sync(file),
    };
    const outbox = reopened({ disk });
    recorded(outbox, 1);
    broken = true;
    expect(() => outbox.record(eventsOf(2))).toThrow("ENOSPC");
    broken = false;
    expect(() => outbox.record(eventsOf(3))).toThrow("ENOSPC");
    expect(outbox.failed).toBe("outbox write failed: ENOSPC");
    expect(() => outbox.syncNow()).toThrow("ENOSPC");
    expect(reopened().change).toBe(1);
  });

  it("reports that it could not be brought to disk", async () => {
    const disk: Disk = {
      write: (file, bytes) => NODE_DISK.write(file, bytes),
      sync: () => Promise.reject(new Error("EIO")),
    };
    const outbox = reopened({ disk });
    recorded(outbox, 1);
    await expect(outbox.durable()).rejects.toThrow("EIO");
    expect(outbox.failed).toBe("outbox sync failed: EIO");
  });

  it("leads to the same state by its records, and by those of a compacted log, whatever happened", () => {
    const limits: OutboxLimits = { pending: 6, parked: 4, delivered: 3 };
    const step = fc.oneof(
      fc.record({ do: fc.constant("record" as const), count: fc.nat({ max: 3 }), both: fc.boolean() }),
      fc.record({ do: fc.constant("finish" as const), how: fc.constantFrom("accepted", "again", "never") }),
      fc.record({ do: fc.constant("resend" as const), pick: fc.nat({ max: 30 }) }),
      fc.record({ do: fc.constant("park" as const), pick: fc.nat({ max: 30 }) }),
      fc.record({ do: fc.constant("leave" as const) }),
      fc.record({ do: fc.constant("undo" as const), by: fc.nat({ max: 2 }) }),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        rmSync(path, { force: true });
        const outbox = Outbox.open({ path, limits });
        let [change, at] = [0, T0];
        for (const each of steps) {
          at += 1;
          if (each.do === "record") recorded(outbox, ++change, each.both ? ["one", "two"] : ["one"], each.count);
          else if (each.do === "finish") {
            const number = outbox.take("one", at)?.number;
            const problem = each.how === "accepted" ? null : "no";
            if (number !== undefined) outbox.finish(number, at, problem, each.how === "again" ? at + 3 : null);
          } else if (each.do === "resend") outbox.resend(each.pick, at);
          else if (each.do === "park") outbox.park(each.pick, at);
          else if (each.do === "undo") outbox.undo(Math.max(0, change - each.by));
          else outbox.keepOnly(new Set(["one"]));
          for (const kind of ["pending", "parked", "delivered"] as const)
            for (const endpoint of ["one", "two"])
              expect(outbox.inState(kind).filter(({ webhookId }) => webhookId === endpoint).length).toBeLessThanOrEqual(
                kind === "pending" ? limits.pending + limits.parked : limits[kind],
              );
        }
        const before = shown(outbox);
        outbox.close();
        const again = Outbox.open({ path, limits });
        expect(shown(again)).toEqual(before);
        again.close();
        const { file, records } = OutboxFile.open(path, NODE_DISK);
        const state = new OutboxState(limits);
        for (const record of records) state.apply(record);
        file.compact(state.records());
        file.close();
        const shortened = Outbox.open({ path, limits });
        expect([shown(shortened), shortened.change, shortened.mark(), shortened.dropped]).toEqual([
          before,
          state.change,
          state.next,
          state.dropped,
        ]);
        shortened.close();
      }),
      { numRuns: 150 },
    );
  });
});
