import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type ProcessingParts, type ShownWebhook, WebhookProcessing } from "../../../src/cli/webhook/processing.ts";
import { localFault, type Order, type Result, type WebhookEvent } from "../../../src/contract/index.ts";
import { openStore, type Store, StoreError } from "../../../src/store/index.ts";
import { eventually } from "../../fixture/command.ts";
import { order } from "../../fixture/order-sample.ts";
import { balanceEvent, orderEvent } from "../../fixture/webhook-sender.ts";

const SOURCE = "sandbox/test";
const ids = ["01999f3e-7a10-7c31-9a52-0c6d5b1f2a71", "01999f3e-7a10-7c31-9a52-0c6d5b1f2a72"] as const;
const START = Date.UTC(2026, 6, 20, 9);

let store: Store<string, unknown>;
let clock: { now: number };
let open: WebhookProcessing[];

beforeEach(async () => {
  clock = { now: START };
  open = [];
  const parts = { clock: { now: () => clock.now, sleep: async () => {} }, random: Math.random };
  store = await openStore<string, unknown>({ memory: true }, parts);
});
afterEach(async () => {
  for (const each of open) await each.close();
  store.close();
});

function processing(parts: Partial<ProcessingParts> = {}) {
  const [shown, notices]: [ShownWebhook[], string[]] = [[], []];
  const process = new WebhookProcessing({
    inbox: store.inbox,
    source: SOURCE,
    now: () => clock.now,
    show: (webhook) => shown.push(webhook),
    onNotice: (message) => notices.push(message),
    ...parts,
  });
  open.push(process);
  process.start();
  return { process, shown, notices, ids: () => shown.map(({ id }) => id) };
}

const keep = (event: Pick<WebhookEvent, "id">, body = JSON.stringify(event)) =>
  store.inbox.keep(SOURCE, { id: event.id, body }, clock.now);

describe("what was kept", () => {
  it("is shown in the order it came, each once, including what came before the start", async () => {
    await keep(balanceEvent("evt_2"));
    await keep(balanceEvent("evt_1"));
    const { process, shown, ids } = processing();
    await eventually(() => shown.length === 2 || undefined);
    expect(await keep(balanceEvent("evt_2"))).toBe(false);
    await keep(balanceEvent("evt_3"));
    process.wake();
    await eventually(() => shown.length === 3 || undefined);
    expect(ids()).toEqual(["evt_2", "evt_1", "evt_3"]);
    expect(shown[0]).toEqual({ seq: 1, id: "evt_2", receivedAtMs: START, event: balanceEvent("evt_2") });
  });

  it("and cannot be read is shown as a problem, and counts as processed", async () => {
    await keep({ id: "evt_1" }, "not JSON");
    await keep(balanceEvent("evt_2"));
    const { shown } = processing();
    await eventually(() => shown.length === 2 || undefined);
    expect(shown).toMatchObject([{ id: "evt_1", problem: expect.stringContaining("authentic, but") }, { id: "evt_2" }]);
  });

  it("is shared by two processes, each event to one", async () => {
    for (let count = 0; count < 40; count++) await keep(balanceEvent(`evt_${count}`));
    const [one, two] = [processing(), processing()];
    await eventually(() => one.shown.length + two.shown.length === 40 || undefined);
    expect(new Set([...one.ids(), ...two.ids()]).size).toBe(40);
  });

  it("and was not finished by a process that died is shown by the next, under the same number", async () => {
    await keep(balanceEvent("evt_1"));
    const dying = processing({ inbox: { ...store.inbox, done: () => new Promise(() => {}) } });
    await eventually(() => dying.shown.length === 1 || undefined);
    open.pop();
    const next = processing();
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(next.shown).toEqual([]);
    clock.now += 60_001;
    next.process.wake();
    await eventually(() => next.shown.length === 1 || undefined);
    expect(next.shown[0]?.seq).toBe(dying.shown[0]?.seq);
  });

  it("waits while the store cannot be written, which is reported once, and is shown after that", async () => {
    let full = true;
    const inbox = {
      ...store.inbox,
      claim: (...given: Parameters<typeof store.inbox.claim>) =>
        full
          ? Promise.reject(new StoreError("disk_full", "The disk is full.", "Free some."))
          : store.inbox.claim(...given),
    };
    await keep(balanceEvent("evt_1"));
    const { process, shown, notices } = processing({ inbox });
    await eventually(() => notices.length > 0 || undefined);
    process.wake();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect([notices, shown]).toEqual([["Webhooks wait: The disk is full."], []]);
    full = false;
    process.wake();
    await eventually(() => shown.length === 1 || undefined);
  });
});

describe("the desk", () => {
  const hinting = (answer: Result<boolean>) => {
    const hinted: Order[] = [];
    const hintDesk = async (hint: Order): Promise<Result<boolean>> => {
      hinted.push(hint);
      return answer;
    };
    return { hinted, hintDesk };
  };

  it("gets orders as hints, and nothing else, before they count as processed", async () => {
    const { hinted, hintDesk } = hinting({ ok: true, value: true });
    await keep(balanceEvent("evt_1"));
    await keep(orderEvent("evt_2"));
    await keep({ id: "evt_3" }, JSON.stringify({ ...orderEvent("evt_3"), extra: 1 }));
    const { shown } = processing({ hintDesk });
    await eventually(() => shown.length === 3 || undefined);
    expect(hinted).toEqual([order]);
  });

  it("when it cannot query, holds nothing up, gets no hint for a while, and gets it again after that", async () => {
    const fault = localFault("ELocal:Venue unreachable");
    let answer: Result<boolean> = { ok: false, fault };
    const hinted: string[] = [];
    const hintDesk = async ({ orderId, state }: Order): Promise<Result<boolean>> => {
      hinted.push(`${orderId} ${state}`);
      return answer;
    };
    await keep(orderEvent("evt_1", { ...order, orderId: ids[0] }));
    await keep(orderEvent("evt_2", { ...order, orderId: ids[1] }));
    await keep(orderEvent("evt_3", { ...order, orderId: ids[0], state: "filled" }));
    const { process, shown, notices } = processing({ hintDesk });
    await eventually(() => shown.length === 3 || undefined);
    expect(hinted).toEqual([`${ids[0]} open`]);
    expect(notices).toEqual([expect.stringContaining(`this is tried again. ${fault.message}`)]);
    clock.now += 10_000;
    process.wake();
    await eventually(() => hinted.length === 2 || undefined);
    expect(notices).toHaveLength(1);
    answer = { ok: true, value: true };
    clock.now += 10_000;
    process.wake();
    await eventually(() => hinted.length === 4 || undefined);
    process.wake();
    await process.close();
    // The newest hint on each.
    expect(hinted.slice(1)).toEqual([`${ids[1]} open`, `${ids[1]} open`, `${ids[0]} filled`]);
  });

  it("gets from the next process the hints that it could not follow, and those are shown again under their number", async () => {
    const cannot = hinting({ ok: false, fault: localFault("ELocal:Venue unreachable") });
    await keep(orderEvent("evt_1", { ...order, orderId: ids[0] }));
    await keep(orderEvent("evt_2", { ...order, orderId: ids[1] }));
    // An older hint on the same order is dropped.
    await keep(orderEvent("evt_3", { ...order, orderId: ids[0], state: "filled" }));
    const first = processing({ hintDesk: cannot.hintDesk });
    await eventually(() => first.shown.length === 3 || undefined);
    await first.process.close();
    clock.now += 60_001;
    const can = hinting({ ok: true, value: true });
    const next = processing({ hintDesk: can.hintDesk });
    await eventually(() => next.shown.length === 2 || undefined);
    expect(next.shown).toEqual(first.shown.slice(1));
    expect(can.hinted.map(({ orderId, state }) => `${orderId} ${state}`)).toEqual([
      `${ids[1]} open`,
      `${ids[0]} filled`,
    ]);
    await next.process.close();
    clock.now += 60_001;
    expect(await store.inbox.claim(SOURCE, clock.now, 60_000, 10)).toEqual([]);
  });

  it("gets its hint once it can query, however long that takes, and the event is shown once", async () => {
    let answer: Result<boolean> = { ok: false, fault: localFault("ELocal:Venue unreachable") };
    let times = 0;
    const hintDesk = async (): Promise<Result<boolean>> => {
      times += 1;
      return answer;
    };
    await keep(orderEvent("evt_1"));
    const { process, shown } = processing({ hintDesk });
    for (let minutes = 1; minutes <= 3; minutes++) {
      await eventually(() => times >= minutes || undefined);
      clock.now += 60_001;
      process.wake();
    }
    answer = { ok: true, value: true };
    await eventually(async () => {
      clock.now += 10_000;
      process.wake();
      return times >= 5 || undefined;
    });
    await process.close();
    expect(shown).toHaveLength(1);
    clock.now += 60_001;
    expect(await store.inbox.claim(SOURCE, clock.now, 60_000, 10)).toEqual([]);
  });

  it("gets again the hints on the newest 500 orders at most", async () => {
    const { hintDesk } = hinting({ ok: false, fault: localFault("ELocal:Venue unreachable") });
    const orderIdOf = (count: number): string => `01999f3e-7a10-7c31-9a52-${String(count).padStart(12, "0")}`;
    for (let count = 1; count <= 503; count++)
      await keep(orderEvent(`evt_${count}`, { ...order, orderId: orderIdOf(count) }));
    const { process, shown } = processing({ hintDesk });
    await eventually(() => shown.length === 503 || undefined);
    await process.close();
    clock.now += 60_001;
    const left = await store.inbox.claim(SOURCE, clock.now, 60_000, 1_000);
    expect([left.length, left[0]?.id]).toEqual([500, "evt_4"]);
  });
});
