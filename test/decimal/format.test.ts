import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  formatAmount,
  formatKrw,
  formatPercent,
  groupThousands,
  notional,
  price,
  quantity,
  rate,
} from "../../src/decimal/index.ts";
import { plainText } from "./arbitraries.ts";

describe("showing amounts", () => {
  it.each([
    ["0", "₩0"],
    ["999", "₩999"],
    ["1000", "₩1,000"],
    ["1234567", "₩1,234,567"],
    ["1234.50", "₩1,234.5"],
    ["0.1234567", "₩0.1234567"],
    ["999999999999999999", "₩999,999,999,999,999,999"],
  ])("shows %s won as %s", (text, shown) => {
    expect(formatKrw(notional(text))).toBe(shown);
    expect(formatAmount(notional(text), "KRW")).toBe(shown);
  });

  it("puts the minus of a loss before the sign of won", () => {
    const loss = notional("0").minus(notional("1234.5"));
    expect(formatKrw(loss)).toBe("-₩1,234.5");
    expect(formatAmount(loss, "USDT")).toBe("-1,234.5 USDT");
  });

  it("shows other assets after the number", () => {
    expect(formatAmount(quantity("0.0150"), "BTC")).toBe("0.015 BTC");
    expect(formatAmount(quantity("12345.678"), "XRP")).toBe("12,345.678 XRP");
    expect(formatAmount(price("1500"), "KRW")).toBe("₩1,500");
  });

  it.each([
    ["0.0005", 2, "0.05%"],
    ["0.05", 2, "5.00%"],
    ["0.00125", 2, "0.12%"],
    ["0.00135", 2, "0.14%"],
    ["0.5", 0, "50%"],
    ["12.5", 1, "1,250.0%"],
  ])("shows the rate %s at %i digits as %s", (text, decimals, shown) => {
    expect(formatPercent(rate(text), decimals)).toBe(shown);
  });

  it("shows a negative rate, but no negative zero", () => {
    const fall = rate("0").minus(rate("0.0123"));
    expect(formatPercent(fall, 2)).toBe("-1.23%");
    expect(formatPercent(rate("0").minus(rate("0.00001")), 2)).toBe("0.00%");
  });
});

describe("grouping thousands", () => {
  it.each([
    ["0", "0"],
    ["100", "100"],
    ["-100", "-100"],
    ["-1234567.125", "-1,234,567.125"],
    ["1000.0001000", "1,000.0001000"],
  ])("writes %s as %s", (text, grouped) => {
    expect(groupThousands(text)).toBe(grouped);
  });

  it.each(["", "1e3", "1,000", "abc", "1.", " 1"])("refuses %j", (text) => {
    expect(() => groupThousands(text)).toThrow("only plain decimal text can be grouped");
  });

  it("adds commas and changes nothing else", () => {
    fc.assert(
      fc.property(plainText, (text) => {
        const grouped = groupThousands(text);
        expect(grouped.replaceAll(",", "")).toBe(text);
        expect(grouped).toMatch(/^\d{1,3}(,\d{3})*(\.\d+)?$/);
      }),
    );
  });
});
