/** The audit log page by page. */
import { afterEach, beforeEach, expect, it } from "vitest";
import type { AuditRequest, AuditView } from "../../../src/desk/index.ts";
import { openWorld, type Seat, type World } from "../../fixture/desk-over-sandbox.ts";
import { unwrap } from "../../fixture/result.ts";

let world: World;
let seat: Seat;
beforeEach(async () => {
  world = await openWorld();
  seat = await world.seat();
});
afterEach(() => world.close());

/** Of the account: steps that are of no order, and one denial of an order that was never recorded. */
async function write(steps: number, deniedAt: number): Promise<void> {
  const { accountId: account } = world.sandbox;
  for (let step = 0; step < steps; step++) {
    const denied = { event: "order_denied", detail: { order: { userref: "denied" } } };
    const other = { event: "cancel_timer_armed", detail: { seconds: step } };
    await world.store.audit.append({ account, ...(step === deniedAt ? denied : other) }, world.clock.now());
  }
}

async function pagesOf(request: AuditRequest): Promise<readonly AuditView[]> {
  const pages: AuditView[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await unwrap(seat.desk.audit(cursor === undefined ? request : { ...request, cursor }));
    pages.push(page);
    cursor = page.next_cursor;
  }
  return pages;
}

const seqs = (pages: readonly AuditView[]) => pages.flatMap(({ entries }) => entries.map(({ seq }) => seq));

it("has every step once, also where more are written meanwhile, and no page after the last", async () => {
  await write(20, -1);
  const first = await unwrap(seat.desk.audit({ limit: 10 }));
  await write(3, -1);
  const [next] = await pagesOf({ limit: 10, ...(first.next_cursor === null ? {} : { cursor: first.next_cursor }) });
  expect(seqs([first, ...(next === undefined ? [] : [next])])).toEqual(
    Array.from({ length: 20 }, (_, row) => 20 - row),
  );
  expect([first.next_cursor, next?.next_cursor]).toEqual(["seq-11", null]);
});

it("goes on to a denial below all that one page looks through", async () => {
  await write(5_600, 2);
  const pages = await pagesOf({ userref: "denied", limit: 20 });
  expect(pages.map(({ entries }) => entries.map(({ event }) => event))).toEqual([[], ["order_denied"]]);
});

it("names the cursor of another list", async () => {
  expect(await seat.desk.audit({ limit: 10, cursor: "01a1fda0-02f3" })).toMatchObject({
    ok: false,
    fault: { code: "ELocal:Invalid input", field: "cursor", reachedVenue: "no" },
  });
});
