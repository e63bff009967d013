import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  asset,
  cursor,
  decimalString,
  isoTime,
  nextCursor,
  pageLimitText,
  signedDecimalString,
  symbol,
  symbolInput,
  unixMsText,
  userref,
  uuid,
} from "../../src/contract/index.ts";
import { unixSeconds } from "../../src/contract/trading/wire.ts";

interface Schema {
  safeParse(value: unknown): { readonly success: boolean };
}
const takes = (schema: Schema, value: unknown) => schema.safeParse(value).success;
/** Which of the values a schema takes. */
const taken = (schema: Schema, values: readonly unknown[]) => values.filter((value) => takes(schema, value));
const from = (alphabet: string, minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet.split("")), { minLength, maxLength }).map((letters) => letters.join(""));
const DIGITS = "0123456789";
const ALPHANUMERIC = `ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz${DIGITS}`;

describe("a decimal", () => {
  it.each(["0", "0.0", "1", "10", "0.015", "95000000", "0.00000001", "999999999999999999.99999999"])(
    "takes %s",
    (text) => {
      expect(takes(decimalString, text)).toBe(true);
      expect(takes(signedDecimalString, text)).toBe(true);
    },
  );

  it.each([
    ...[
      "",
      " ",
      " 1",
      "1 ",
      "1\n",
      "+1",
      ".5",
      "5.",
      "00",
      "01",
      "0x10",
      "1e3",
      "1E-8",
      "1,000",
      "1_000",
      "1.2.3",
      "NaN",
    ],
    ...["Infinity", "０.５", "1.000000001", "1000000000000000000", "₩1", "--1"],
  ])("refuses %j", (text) => {
    expect(takes(decimalString, text)).toBe(false);
    expect(takes(signedDecimalString, text)).toBe(false);
  });

  it.each([0.015, 1, 0, Number.NaN, 10n, null, undefined, true, ["1"], { value: "1" }])(
    "refuses %s, which is no text",
    (value) => {
      expect(takes(decimalString, value)).toBe(false);
      expect(takes(signedDecimalString, value)).toBe(false);
    },
  );

  it("is negative only where a difference is meant", () => {
    expect(takes(decimalString, "-1.25")).toBe(false);
    expect(takes(signedDecimalString, "-1.25")).toBe(true);
    for (const zero of ["-0", "-0.0", "-0.00000000"]) expect(takes(signedDecimalString, zero)).toBe(false);
  });

  it("says how to write a number that was sent as one", () => {
    const result = decimalString.safeParse(0.015);
    expect(result.error?.issues[0]?.message).toContain('send "0.015" as a string');
  });

  it("takes every whole with up to 18 digits and fraction with up to 8", () => {
    const whole = fc.oneof(fc.constant("0"), fc.bigInt({ min: 1n, max: 10n ** 18n - 1n }).map(String));
    fc.assert(
      fc.property(whole, from(DIGITS, 1, 8), (integer, fraction) => {
        expect(takes(decimalString, integer)).toBe(true);
        expect(takes(decimalString, `${integer}.${fraction}`)).toBe(true);
      }),
    );
  });

  it("takes nothing that a plain reading of the rule would not take", () => {
    const plain = (text: string): boolean => {
      const [integer = "", fraction, ...more] = text.split(".");
      const digits = (part: string) => part !== "" && part.split("").every((letter) => DIGITS.includes(letter));
      if (more.length > 0 || !digits(integer) || integer.length > 18) return false;
      if (integer.length > 1 && integer.startsWith("0")) return false;
      return fraction === undefined || (digits(fraction) && fraction.length <= 8);
    };
    fc.assert(
      fc.property(fc.oneof(from(`${DIGITS}.`, 0, 30), from("01.-+e,", 0, 6), fc.string()), (text) => {
        expect(takes(decimalString, text)).toBe(plain(text));
      }),
      { numRuns: 2000 },
    );
  });
});

describe("a market", () => {
  it.each(["BTC/KRW", "BTCKRW", "btc/krw", "btckrw", "1INCH/KRW"])("may be asked for as %s", (text) => {
    expect(takes(symbolInput, text)).toBe(true);
  });

  it.each(["", "/", "BTC/", "/KRW", "BTC/KRW/X", "BTC-KRW", "BTC KRW", "BTC%2FKRW", "비트코인", "../BTC", "BTC/KRW\n"])(
    "may not be asked for as %j",
    (text) => {
      expect(takes(symbolInput, text)).toBe(false);
    },
  );

  it("is answered in one form only", () => {
    expect(takes(symbol, "BTC/KRW")).toBe(true);
    expect(taken(symbol, ["btc/krw", "BTCKRW", "KRW-BTC", "BTC/", ""])).toEqual([]);
    expect(takes(asset, "KRW")).toBe(true);
    expect(taken(asset, ["krw", "", "BTC/KRW", "A".repeat(16)])).toEqual([]);
  });
});

describe("an id", () => {
  const good = "01999f3e-7a10-7c31-9a52-0c6d5b1f2a77";

  it("is a lower-case UUIDv7", () => {
    expect(takes(uuid, good)).toBe(true);
    const others = [
      good.toUpperCase(),
      good.replace("-7c31", "-4c31"),
      good.replace("-9a52", "-7a52"),
      good.replaceAll("-", ""),
      `${good}0`,
      ` ${good}`,
      `${good}\n`,
      "",
    ];
    expect(taken(uuid, others)).toEqual([]);
  });

  it("takes every UUIDv7 and no other version", () => {
    fc.assert(
      fc.property(fc.uuid({ version: 7 }), (id) => {
        expect(takes(uuid, id)).toBe(true);
      }),
    );
    fc.assert(
      fc.property(fc.uuid({ version: [1, 2, 3, 4, 5, 6, 8] }), (id) => {
        expect(takes(uuid, id)).toBe(false);
      }),
    );
  });
});

describe("a userref", () => {
  it("takes 1 to 64 of its characters", () => {
    fc.assert(fc.property(from(`${ALPHANUMERIC}._-`, 1, 64), (text) => takes(userref, text)));
    expect(takes(userref, "a".repeat(64))).toBe(true);
    expect(takes(userref, "a".repeat(65))).toBe(false);
    expect(takes(userref, "")).toBe(false);
  });

  it("takes no other character anywhere", () => {
    const stranger = fc
      .integer({ min: 0, max: 0x10ffff })
      .map((code) => String.fromCodePoint(code))
      .filter((text) => !/^[A-Za-z0-9._-]$/.test(text));
    fc.assert(
      fc.property(from(ALPHANUMERIC, 0, 20), stranger, from(ALPHANUMERIC, 0, 20), (before, letter, after) => {
        expect(takes(userref, `${before}${letter}${after}`)).toBe(false);
      }),
    );
  });

  it("is text", () => {
    expect(takes(userref, 1)).toBe(false);
  });
});

describe("a cursor", () => {
  it("takes whatever base64url can hold, up to 256 characters", () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 1, maxLength: 192 }), (bytes) =>
        takes(cursor, Buffer.from(bytes).toString("base64url")),
      ),
    );
    expect(takes(cursor, "A".repeat(257))).toBe(false);
    expect(taken(cursor, ["", "a=", "a+b", "a/b", "a b", "a\n"])).toEqual([]);
  });

  it("is null on the last page", () => {
    expect(takes(nextCursor, null)).toBe(true);
    expect(takes(nextCursor, undefined)).toBe(false);
  });
});

describe("a page size", () => {
  it("takes 1 to 500, written as whole numbers", () => {
    const numbers = Array.from({ length: 1200 }, (_, n) => String(n));
    expect(taken(pageLimitText, numbers)).toEqual(numbers.slice(1, 501));
    expect(taken(pageLimitText, ["", "01", "+1", "1.0", " 1", "1e2", "-1", "500\n"])).toEqual([]);
    expect(takes(pageLimitText, 100)).toBe(false);
  });
});

describe("a time", () => {
  it("is answered in RFC 3339 UTC with milliseconds", () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true }),
        (date) => takes(isoTime, date.toISOString()),
      ),
    );
    expect(
      taken(isoTime, [
        "2026-07-20T09:00:00Z",
        "2026-07-20T09:00:00.000+09:00",
        "2026-07-20 09:00:00.000Z",
        "1784538000000",
      ]),
    ).toEqual([]);
  });

  it("is asked for in Unix milliseconds", () => {
    expect(takes(unixMsText, "1784538000000")).toBe(true);
    expect(taken(unixMsText, ["", "-1", "1784538000000.5", "2026-07-20", "1e12", "1".repeat(16)])).toEqual([]);
  });
});

describe("a time in Unix seconds", () => {
  it("is one that a date holds", () => {
    expect(unixSeconds.safeParse(8_640_000_000_000).success).toBe(true);
    expect(unixSeconds.safeParse(8_640_000_000_000.001).success).toBe(false);
    expect(unixSeconds.safeParse(1e300).success).toBe(false);
  });
});
