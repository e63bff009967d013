/** Figures that were computed, as a page shows them: in text from end to end. */
import { describe, expect, it } from "vitest";
import { signedPercentage, wholeWon } from "../../src/words/index.ts";

describe("won without decimals", () => {
  it.each([
    ["148912345", "148912345"],
    ["1480740.5", "1480740"],
    ["1480741.5", "1480742"],
    ["-34.256", "-34.26"],
    ["-0.001", "0"],
    ["0.0167", "0.02"],
    ["1e5", "1e5"],
    ["more", "more"],
  ])("%s", (text, shown) => {
    expect(wholeWon(text)).toBe(shown);
  });
});

describe("a figure in percent", () => {
  it.each([
    ["1.0548", "+1.05%"],
    ["-1.9967", "-2.00%"],
    ["0.16", "+0.16%"],
    ["0", "0.00%"],
    ["-0.001", "0.00%"],
    ["unknown", "unknown"],
  ])("%s", (text, shown) => {
    expect(signedPercentage(text)).toBe(shown);
  });
});
