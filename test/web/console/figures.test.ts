import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  averageText,
  compactWon,
  countdown,
  directionOf,
  plainPrice,
  priceText,
  quantityText,
  shareOf,
  shortTime,
  signed,
  valueText,
} from "../../../web/console/figures.ts";

describe("a figure on the page", () => {
  it.each([
    ["148912345", "₩148,912,345"],
    ["1480740.12345678", "₩1,480,740"],
    ["-34.256", "-₩34.26"],
    ["99.999", "₩100"],
    ["-0.001", "₩0"],
    ["999999999999999999.5", "₩1,000,000,000,000,000,000"],
    ["more", "₩more"],
  ])("is won without decimals, where it is large: %s", (text, shown) => {
    expect(valueText(text, "KRW")).toBe(shown);
  });

  it("is a quantity without zeros that say nothing, and nothing where nothing is known", () => {
    expect(valueText("0.01500000", "BTC")).toBe("0.015 BTC");
    expect(quantityText("1234.50000000")).toBe("1,234.5");
    expect([valueText(null, "KRW"), quantityText(undefined), priceText(null, "KRW"), plainPrice(null)]).toEqual(
      Array.from({ length: 4 }, () => "–"),
    );
  });

  it("keeps every digit of a price", () => {
    const digits = fc.stringMatching(/^[1-9]\d{0,15}(\.\d{0,7}[1-9])?$/);
    fc.assert(
      fc.property(digits, (price) => {
        expect(priceText(price, "KRW").replace(/[₩,]/g, "")).toBe(price);
        expect(plainPrice(price).replaceAll(",", "")).toBe(price);
      }),
    );
  });

  it.each([
    ["0.01668", "₩0.01668"],
    ["0.01668432", "₩0.01668432"],
    ["287.2345", "₩287.2345"],
    ["148635123.45678901", "₩148,635,123.46"],
  ])("is an average with the digits that count: %s", (average, shown) => {
    expect(averageText(average, "KRW")).toBe(shown);
  });

  it("is a price of a column with as many decimals as the tick", () => {
    expect([plainPrice("0.0167", "0.00001"), plainPrice("287", "0.1"), plainPrice("148635000", "1000")]).toEqual([
      "0.01670",
      "287.0",
      "148,635,000",
    ]);
    expect([plainPrice("0.016675", "0.00001"), plainPrice(null, "0.1")]).toEqual(["0.016675", "–"]);
  });

  it("has the sign and the direction of what it is", () => {
    expect(["₩12", "-₩12", "₩0", "0 BTC", "0.5 BTC", "–"].map(signed)).toEqual([
      "+₩12",
      "-₩12",
      "₩0",
      "0 BTC",
      "+0.5 BTC",
      "–",
    ]);
    expect(["1", "-0.5", "0", "-0.000", null].map(directionOf)).toEqual(["up", "down", "even", "even", "even"]);
  });

  it.each([
    ["1501733924.55", "₩1.50B", "₩15.0억"],
    ["999", "₩999", "₩999"],
    ["45000", "₩45.0K", "₩4.50만"],
    ["1234567890123456", "₩1,234,567B", "₩1,234조"],
  ])("is short where there is little room: %s", (won, en, ko) => {
    expect([compactWon(won, "en"), compactWon(won, "ko")]).toEqual([en, ko]);
  });
});

describe("what is drawn", () => {
  it("is a share between nothing and all of it", () => {
    expect([
      shareOf("5", "10"),
      shareOf("20", "10"),
      shareOf("-1", "10"),
      shareOf("5", "0"),
      shareOf(null, "9"),
    ]).toEqual([0.5, 1, 0, 0, 0]);
  });
});

describe("a time on the page", () => {
  it("counts down to zero and no further", () => {
    expect([299_001, 300_000, 61_000, 3_729_000, 0, -5].map(countdown)).toEqual([
      "5:00",
      "5:00",
      "1:01",
      "1:02:09",
      "0:00",
      "0:00",
    ]);
  });

  it("is the clock of today, and the date of another day", () => {
    const today = "2026-11-23 09:00:00 UTC+9";
    expect(shortTime("2026-11-23 16:32:28 UTC+9", today)).toBe("16:32:28");
    expect(shortTime("2026-11-22 16:32:28 UTC+9", today)).toBe("11-22 16:32");
    expect(shortTime("soon", today)).toBe("soon");
  });
});
