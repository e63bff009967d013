import { setTimeout as pause } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type DeliveryParts, NoticeDelivery } from "../../../src/cli/notice/delivery.ts";
import { Secret } from "../../../src/config/index.ts";
import type { NewNotice } from "../../../src/desk/index.ts";
import { openStore, type Store } from "../../../src/store/index.ts";
import { wordsFor } from "../../../src/words/index.ts";
import { eventually } from "../../fixture/command.ts";
import { NOTIFY_SECRET, type NoticeReceiver, noticeReceiver } from "../../fixture/notice-receiver.ts";
import { unwrap } from "../../fixture/result.ts";
import { ALERT, newPlan, planIdOf } from "../../store/plan.ts";

let store: Store<string, unknown>;
let clock: { now: number };
let closing: (() => Promise<void>)[];

beforeEach(async () => {
  // Receivers hold the time that is signed against their own clock.
  clock = { now: Date.now() };
  closing = [];
  const parts = { clock: { now: () => clock.now, sleep: async () => {} }, random: Math.random };
  store = await openStore<string, unknown>({ memory: true }, parts);
});
afterEach(async () => {
  for (const close of closing.reverse()) await close();
  store.close();
});

async function receiver(answer?: Parameters<typeof noticeReceiver>[0]): Promise<NoticeReceiver> {
  const made = await noticeReceiver(answer);
  closing.push(() => made.close());
  return made;
}

const FIRED: NewNotice = { type: "alert.fired", key: "2", body: { print: "6" } };

/** A plan of the account "main" with something to tell. */
async function told(n: number, notices = [FIRED], atMs = clock.now, note = "sell by hand"): Promise<void> {
  const terms = { ...ALERT, note };
  const plan = newPlan(n, { terms, state: "active", createdAtMs: atMs, notices });
  await unwrap(store.plans.record(plan, () => undefined));
}

function delivering(url: string, more: Partial<DeliveryParts> = {}, types = ["alert.fired", "plan.gap", "plan.ended"]) {
  const said: string[] = [];
  const delivery = new NoticeDelivery({
    settings: { url, secrets: [new Secret(NOTIFY_SECRET)], types: types as DeliveryParts["settings"]["types"] },
    ...{ notices: store.notices, plans: store.plans, account: () => "main", now: () => clock.now },
    stamp: () => ({ environment: "sandbox", account: "1234", unit: "KRW" }),
    words: wordsFor(),
    onNotice: (message) => said.push(message),
    lookEveryMs: 10,
    ...more,
  });
  closing.push(() => delivery.close());
  delivery.start();
  return { delivery, said };
}

const noticesOf = (n: number) =>
  unwrap(store.notices.recent({ account: "main", planId: planIdOf(n), sinceMs: 0, limit: 9 }));
const auditEvents = async () => (await unwrap(store.audit.recent({ limit: 50 }))).map(({ event }) => event);

describe("a notice", () => {
  it("is posted signed, with what it is about as data and as a sentence, and counts as delivered", async () => {
    const to = await receiver();
    await told(1);
    const { said } = delivering(to.url);
    await eventually(async () => (await noticesOf(1))[0]?.deliveredAtMs ?? undefined);
    const [notice] = await noticesOf(1);
    expect(to.received).toHaveLength(1);
    expect(to.received[0]).toMatchObject({
      id: notice?.noticeId,
      body: {
        ...{ type: "alert.fired", id: notice?.noticeId, created_at: new Date(clock.now).toISOString() },
        data: {
          ...{ environment: "sandbox", account: "1234", plan_id: planIdOf(1), kind: "alert", symbol: "BTC/KRW" },
          ...{ note: "sell by hand", print: "6" },
          text: '[sandbox] Alert. The price of BTC/KRW has stood at or above ₩5. The last trade was at ₩6. Your note: "sell by hand"',
        },
      },
    });
    expect(said).toEqual([]);
    expect((await auditEvents())[0]).toBe("notice_delivered");
  });

  it("is sent again under the same id, when the receiver has failed first, and once it was taken never again", async () => {
    const to = await receiver((n) => (n === 0 ? 500 : 204));
    await told(1);
    const { said } = delivering(to.url);
    await eventually(async () => ((await noticesOf(1))[0]?.tries === 1 ? true : undefined));
    expect(said).toEqual([
      `A notice (alert.fired of ${planIdOf(1)}) was not taken by ${new URL(to.url).host}: it answered 500. It is sent again.`,
    ]);
    clock.now += 4_900;
    await pause(100);
    expect(to.received).toHaveLength(1);
    clock.now += 100;
    await eventually(async () => (await noticesOf(1))[0]?.deliveredAtMs ?? undefined);
    clock.now += 60_000;
    await pause(100);
    expect(to.received.map(({ id }) => id)).toEqual([to.received[0]?.id, to.received[0]?.id]);
    expect(to.received.every(({ body }) => body !== undefined)).toBe(true);
  });

  it("follows no redirect: what it says reaches nobody else", async () => {
    const elsewhere = await receiver();
    const to = await receiver(() => elsewhere.url);
    await told(1);
    const { said } = delivering(to.url);
    await eventually(async () => ((await noticesOf(1))[0]?.tries === 1 ? true : undefined));
    expect(elsewhere.received).toEqual([]);
    expect(said.join()).toContain("it answered 307");
  });

  it("is not taken by a receiver that says nothing for five seconds, nor by one that is not there", async () => {
    const [to, gone] = [await receiver(() => "never"), await receiver()];
    await gone.close();
    await told(1);
    const { said, delivery } = delivering(to.url);
    await eventually(async () => ((await noticesOf(1))[0]?.tries === 1 ? true : undefined), 9_000);
    expect(said.join()).toContain("no answer within 5 s");
    await delivery.close();
    clock.now += 5_000;
    const another = delivering(gone.url);
    await eventually(async () => ((await noticesOf(1))[0]?.tries === 2 ? true : undefined));
    expect(another.said.join()).toMatch(/was not taken by 127\.0\.0\.1:\d+: .*ECONNREFUSED/);
  }, 15_000);

  it("is given up after seven failures, which is said, without the secret and what stands behind the host", async () => {
    const to = await receiver(() => 503);
    await told(1);
    const { said } = delivering(to.url);
    for (let tries = 1; tries <= 7; tries++) {
      await eventually(async () => ((await noticesOf(1))[0]?.tries === tries ? true : undefined));
      clock.now = (await noticesOf(1))[0]?.dueAtMs ?? clock.now;
    }
    await eventually(() => said.find((line) => line.includes("given up")));
    expect(said).toHaveLength(2);
    expect(said[1]).toContain("It was tried 7 times and is given up.");
    expect(said.join()).not.toMatch(/whsec|\/in\b/);
    expect(await unwrap(store.notices.parked("main", 9))).toMatchObject([{ type: "alert.fired", tries: 7 }]);
  });

  it("is nobody's to send where its type was not named, it is older than a day, or the account is not known", async () => {
    const to = await receiver();
    await told(1, [{ type: "plan.active", key: "1", body: {} }]);
    await told(2, [FIRED], clock.now - 86_400_001);
    let isKnown = false;
    delivering(to.url, { account: () => (isKnown ? "main" : undefined) });
    await told(3);
    await pause(100);
    expect(to.received).toEqual([]);
    isKnown = true;
    await eventually(() => to.received[0]);
    await pause(100);
    expect(to.received.map(({ body }) => body?.data["plan_id"])).toEqual([planIdOf(3)]);
  });

  it("names the tenant whose it is, and tells no secret, whatever its note holds", async () => {
    const to = await receiver();
    await told(1, [FIRED], clock.now, `the key is ${NOTIFY_SECRET}`);
    delivering(to.url, { stamp: () => ({ environment: "live", account: "1", unit: "KRW", tenant: "alice" }) });
    const { body } = await eventually(() => to.received[0]);
    expect(body?.data).toMatchObject({ environment: "live", account: "1", tenant: "alice" });
    expect(body?.data["note"]).toMatch(/^the key is /);
    expect(JSON.stringify(body)).not.toContain(NOTIFY_SECRET);
  });

  it("is sent by one of two processes", async () => {
    const to = await receiver();
    for (let n = 1; n <= 30; n++) await told(n);
    delivering(to.url);
    delivering(to.url);
    await eventually(() => (to.received.length >= 30 ? true : undefined));
    await pause(100);
    expect(to.received).toHaveLength(30);
    expect(new Set(to.received.map(({ id }) => id)).size).toBe(30);
  });

  it("and was on its way when a process ended is sent by the next, and does not count as failed", async () => {
    const to = await receiver((n) => (n === 0 ? "never" : 204));
    await told(1);
    const { delivery, said } = delivering(to.url);
    await eventually(() => to.received[0]);
    await delivery.close();
    expect([said, (await noticesOf(1))[0]?.tries]).toEqual([[], 0]);
    delivering(to.url);
    clock.now += 15_000;
    await eventually(async () => (await noticesOf(1))[0]?.deliveredAtMs ?? undefined);
    expect(to.received.map(({ id }) => id)).toEqual([to.received[0]?.id, to.received[0]?.id]);
  });
});

describe("what a notice says", () => {
  const korean = { words: wordsFor({ locale: "ko", timeZone: "Asia/Seoul" }) };
  it.each<[NewNotice, string, string]>([
    [
      { type: "plan.ended", key: "3", body: { state: "canceled", why: "Canceled by a person." } },
      "[sandbox] Ended (canceled): Tell once when the price of BTC/KRW has stood at or above ₩5. Why: Canceled by a person.",
      "[sandbox · 모의] 예약이 끝났습니다(취소): BTC/KRW 시세가 ₩5 이상을 2초간 유지하면 한 번 알립니다. 이유: 사람이 취소했습니다.",
    ],
    [
      {
        ...{ type: "plan.gap", key: "4" },
        body: {
          ...{ symbol: "BTC/KRW", why: "no server", low: "3", high: "7" },
          ...{ from: "2026-07-20T09:00:00.000Z", to: "2026-07-20T10:00:00.000Z" },
        },
      },
      "[sandbox] Nobody watched BTC/KRW from 2026-07-20 09:00:00 UTC to 2026-07-20 10:00:00 UTC, as no hoga server ran: Tell once when the price of BTC/KRW has stood at or above ₩5. Meanwhile the price was between ₩3 and ₩7, which is told by this alone.",
      "[sandbox · 모의] 2026-07-20 18:00:00 UTC+9부터 2026-07-20 19:00:00 UTC+9까지 BTC/KRW 시세를 감시하지 못했습니다(hoga 서버 꺼짐): BTC/KRW 시세가 ₩5 이상을 2초간 유지하면 한 번 알립니다. 그동안 시세는 ₩3에서 ₩7 사이였습니다. 지나간 시세로는 주문하지 않으며, 이 안내로만 알립니다.",
    ],
  ])("%j", async (notice, english, inKorean) => {
    for (const [more, said] of [
      [{}, english],
      [korean, inKorean],
    ] as const) {
      const to = await receiver();
      await told(more === korean ? 2 : 1, [notice]);
      const { delivery } = delivering(to.url, more);
      await eventually(() => to.received[0]);
      await delivery.close();
      expect(to.received[0]?.body?.data["text"]).toContain(said);
    }
  });
});
