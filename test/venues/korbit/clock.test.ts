import { expect, it } from "vitest";
import { good, world } from "./scripted.ts";

it("the exchange's time, asked for before anything else, is the one that requests are signed by", async () => {
  const here = await world();
  here.state.ahead = 60_000;
  here.state.answer = good([]);
  expect((await here.venue.time()).ok).toBe(true);
  expect(here.venue.clockOffsetMs()).toBeGreaterThan(50_000);
  expect(await here.venue.accounts()).toMatchObject({ ok: true });
  await here.close();
});
