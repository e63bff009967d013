/** An exchange that answers with another order than was requested, or with an id that it has given before. */
import { expect, it } from "vitest";
import { ORDER_POST, type Rewrite } from "../../fixture/fault-proxy.ts";
import { LIMIT_BUY } from "../../fixture/order-sample.ts";
import { unwrap } from "../../fixture/result.ts";
import { openWorldPerTest, seat, world } from "../../fixture/world-per-test.ts";

const LIST = /^GET \/v1\/orders\?/;

openWorldPerTest();

const huge: Rewrite = (body) => body.replaceAll(/"volume":"[\d.]+"/g, '"volume":"999"');
const none: Rewrite = () => '{"orders":[],"next_cursor":null}';
/** Whoever asks is answered by what was seen a moment ago, once a second at most. */
const aSecondLater = (): void => {
  world.clock.skewMs += 1_000;
};
const stateOf = async (userref: string) => (await unwrap(world.store.journal.byUserref("paper", userref)))?.state;

it("is unknown while the exchange shows another order, says so, and is settled by the right one", async () => {
  world.proxy.plan(ORDER_POST, huge);
  world.proxy.plan(LIST, huge, 99);
  const report = await seat.desk.place({ ...LIMIT_BUY, userref: "wrong-1" });
  expect(report).toMatchObject({ outcome: "unknown", state: "unknown", error: { code: "ELocal:Wrong order" } });
  expect(report.error?.message).toContain("buy 999 BTC/KRW limit");
  expect(report.order).toBeUndefined();
  expect(await stateOf("wrong-1")).toBe("unknown");
  expect(await seat.desk.place({ ...LIMIT_BUY, userref: "wrong-1" })).toMatchObject({ outcome: "unknown" });
  world.proxy.heal();
  aSecondLater();
  expect(await seat.desk.order({ userref: "wrong-1" })).toMatchObject({ ok: true, value: { state: "open" } });
  expect(world.proxy.deliveries(ORDER_POST)).toBe(1);
});

it("is not believed to be not placed where the exchange has shown another order and then shows none", async () => {
  world.proxy.plan(ORDER_POST, huge);
  world.proxy.plan(LIST, none, 99);
  expect(await seat.desk.place({ ...LIMIT_BUY, userref: "wrong-2" })).toMatchObject({ outcome: "unknown" });
  aSecondLater();
  await seat.desk.upkeep();
  expect(await stateOf("wrong-2")).toBe("unknown");
  world.proxy.heal();
  aSecondLater();
  await seat.desk.upkeep();
  expect(await seat.desk.order({ userref: "wrong-2" })).toMatchObject({ ok: true, value: { state: "open" } });
});

it("is unknown under an id that another order has, and trading goes on", async () => {
  const first = await seat.desk.place({ ...LIMIT_BUY, userref: "first" });
  const taken = first.order?.uuid ?? "";
  const repeated: Rewrite = (body) => body.replaceAll(/"(uuid|orderId)":"[^"]+"/g, `"$1":"${taken}"`);
  world.proxy.plan(ORDER_POST, repeated);
  world.proxy.plan(LIST, repeated, 99);
  const second = await seat.desk.place({ ...LIMIT_BUY, price: "99000000", userref: "second" });
  expect(second).toMatchObject({ outcome: "unknown", error: { code: "ELocal:Wrong order" } });
  expect(second.error?.message).toContain("userref first");
  expect(await unwrap(world.store.killSwitch.state())).toBeUndefined();
  world.proxy.heal();
  aSecondLater();
  expect(await seat.desk.order({ userref: "second" })).toMatchObject({ ok: true, value: { state: "open" } });
  expect(await seat.desk.place({ ...LIMIT_BUY, price: "98000000", userref: "third" })).toMatchObject({ state: "open" });
});
