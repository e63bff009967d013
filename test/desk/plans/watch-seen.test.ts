/** What a process knows of a watch that another has, whatever the times that the other wrote. */
import { describe, expect, it } from "vitest";
import { WatchSeen } from "../../../src/desk/plans/watch/watch-seen.ts";

/** The other's clock is so far from ours, in whose time we count from 1 000 000 on. */
const APART = [-10_000, -6_000, 0, 6_000, 10_000];
const NOW_MS = 1_000_000;
const LEASE_MS = 5_000;
const ours = (risingMs: number, sleptMs = 0) => ({ nowMs: NOW_MS + risingMs + sleptMs, risingMs });
const watch = (writtenMs: number, apartMs: number) => ({
  ...{ holder: "other", sinceMs: 0, leaseUntilMs: 1 },
  seenMs: NOW_MS + writtenMs + apartMs,
});

describe.each(APART)("a watch of one whose clock is %i ms ahead", (apartMs) => {
  const last = watch(900, apartMs);

  it("is overdue when it has stood unchanged for a lease since it was seen so first", () => {
    const seen = new WatchSeen();
    expect(seen.overdue(ours(9_000), LEASE_MS)).toBeUndefined();
    seen.note(watch(0, apartMs), ours(0));
    for (const atMs of [1_000, 2_000, 3_000]) seen.note(last, ours(atMs));
    expect(seen.overdue(ours(5_999), LEASE_MS)).toBeUndefined();
    expect(seen.overdue(ours(6_000), LEASE_MS)).toEqual(last);
  });

  it("is not overdue to one that has just begun, before it could have been renewed", () => {
    const seen = new WatchSeen();
    seen.note(last, ours(1_000));
    expect(seen.overdue(ours(2_999), LEASE_MS)).toBeUndefined();
    seen.note(watch(2_999, apartMs), ours(3_000));
    expect(seen.overdue(ours(7_999), LEASE_MS)).toBeUndefined();
  });

  it("was renewed last when we saw it change", () => {
    const seen = new WatchSeen();
    seen.note(watch(0, apartMs), ours(0));
    for (const atMs of [1_000, 2_000, 6_000]) seen.note(last, ours(atMs));
    expect(seen.lookedLastMs(last.seenMs, ours(7_000))).toBe(NOW_MS + 1_000);
  });

  it("was renewed last between two looks of ours, where it has changed since the last", () => {
    const seen = new WatchSeen();
    seen.note(watch(0, apartMs), ours(500));
    const lookedMs = seen.lookedLastMs(last.seenMs, ours(1_500));
    expect(lookedMs).toBeGreaterThanOrEqual(NOW_MS + 500);
    expect(lookedMs).toBeLessThanOrEqual(NOW_MS + 1_500);
  });

  it("was renewed last before the machine slept, where nobody has since", () => {
    const seen = new WatchSeen();
    seen.note(watch(0, apartMs), ours(0));
    for (const atMs of [1_000, 2_000]) seen.note(last, ours(atMs));
    expect(seen.lookedLastMs(last.seenMs, ours(7_000, 28_800_000))).toBe(NOW_MS + 1_000);
  });

  it("was renewed no later than we saw it first, and else when it says", () => {
    const seen = new WatchSeen();
    seen.note(last, ours(1_000));
    expect(seen.lookedLastMs(last.seenMs, ours(7_000))).toBe(Math.min(last.seenMs, NOW_MS + 1_000));
    expect(new WatchSeen().lookedLastMs(last.seenMs, ours(1_000))).toBe(Math.min(last.seenMs, NOW_MS + 1_000));
  });
});

it.each(APART)("a watch of one who died long ago is overdue after two seconds, with clocks %i ms apart", (apartMs) => {
  const seen = new WatchSeen();
  const old = watch(-30_000, apartMs);
  for (const atMs of [1_000, 2_000]) seen.note(old, ours(atMs));
  expect(seen.overdue(ours(2_999), LEASE_MS)).toBeUndefined();
  expect(seen.overdue(ours(3_000), LEASE_MS)).toEqual(old);
});

it("a watch that was written a moment ago by one whose clock is nearly ten seconds behind is not overdue", () => {
  const seen = new WatchSeen();
  const young = watch(-600, -9_500);
  for (const atMs of [0, 1_000, 2_000]) seen.note(young, ours(atMs));
  expect(seen.overdue(ours(3_000), LEASE_MS)).toBeUndefined();
});
