import { describe, expect, it } from "vitest";
import { amount, exactAmount } from "../../src/mcp/text/amount-text.ts";

describe("a figure in won", () => {
  it.each([
    ["95228571.42857143", "₩95,228,571.43"],
    ["-95228571.42857143", "-₩95,228,571.43"],
    ["24.9995484", "₩25"],
    ["1.00500001", "₩1.01"],
    // Of two equally near the even one.
    ["2.12500", "₩2.12"],
    ["49999.0968", "₩49,999.0968"],
    ["237.5", "₩237.5"],
    ["0.00001234", "₩0.00001234"],
    ["0", "₩0"],
    ["no figure", "₩no figure"],
  ])("%s is shown as %s", (text, shown) => {
    expect(amount(text, "KRW")).toBe(shown);
  });

  it("keeps all digits where it is sent as it is, and so do coins", () => {
    expect(exactAmount("95228571.42857143", "KRW")).toBe("₩95,228,571.42857143");
    expect(amount("1.23456789", "BTC")).toBe("1.23456789 BTC");
  });
});
