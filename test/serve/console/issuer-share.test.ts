import { describe, expect, it } from "vitest";
import { IssuerShare } from "../../../src/serve/console/issuer-share.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

const taken = (share: IssuerShare, ...addresses: string[]): number =>
  addresses.filter((address) => share.take(address)).length;
const of = (address: string, times: number): string[] => Array.from({ length: times }, () => address);
const strangers = (count: number): string[] => Array.from({ length: count }, (_, n) => `192.0.2.${n}`);

describe("the share of an address", () => {
  it("is five a minute, and comes back", () => {
    let nowMs = 0;
    const share = new IssuerShare(() => nowMs);
    expect(taken(share, ...of("192.0.2.1", 9))).toBe(5);
    expect(taken(share, ...of("192.0.2.2", 1))).toBe(1);
    nowMs = MINUTE - 1;
    expect(taken(share, "192.0.2.1")).toBe(0);
    nowMs = MINUTE;
    expect(taken(share, ...of("192.0.2.1", 9))).toBe(5);
  });

  it.each([
    ["2001:db8:1:2::1", "2001:db8:1:2:ffff::9", 5],
    ["2001:db8::1", "2001:0db8:0000:0000:1::", 5],
    ["2001:db8:1:2::1", "2001:db8:1:3::1", 10],
    ["::1", "0:0:0:0:5::", 5],
  ])("is one for a whole /64: %s and %s", (one, other, count) => {
    expect(taken(new IssuerShare(() => 0), ...of(one, 5), ...of(other, 5))).toBe(count);
  });

  it("is left to who has signed in today, however many strangers come", () => {
    let nowMs = 0;
    const share = new IssuerShare(() => nowMs);
    share.known("198.51.100.1");
    expect(taken(share, ...strangers(200))).toBe(20);
    expect(taken(share, ...of("198.51.100.1", 9))).toBe(5);
    nowMs = DAY;
    expect(taken(share, ...strangers(200))).toBe(20);
    expect(taken(share, "198.51.100.1")).toBe(0);
  });

  it("is of thirty in all", () => {
    const share = new IssuerShare(() => 0);
    const known = strangers(200);
    for (const address of known) share.known(address);
    expect(taken(share, ...known)).toBe(30);
  });
});
