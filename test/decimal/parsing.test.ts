import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DecimalInvariantError,
  describeDecimalProblem,
  MAX_FRACTION_DIGITS,
  MAX_INTEGER_DIGITS,
  notional,
  PLAIN_DECIMAL,
  parseNotional,
  parsePrice,
  parseQuantity,
  parseRate,
  price,
  priceText,
  quantity,
  rate,
  SIGNED_PLAIN_DECIMAL,
} from "../../src/decimal/index.ts";
import { plainText } from "./arbitraries.ts";

const widest = `${"9".repeat(MAX_INTEGER_DIGITS)}.${"9".repeat(MAX_FRACTION_DIGITS)}`;

/** Input, reason, and the end of the message: the fix, or the quoted input where no fix is certain. */
const refusals: readonly (readonly [unknown, string, string])[] = [
  [null, "not_a_string", 'send a string such as "0.5"'],
  [undefined, "not_a_string", 'send a string such as "0.5"'],
  [{}, "not_a_string", 'send a string such as "0.5"'],
  [["1"], "not_a_string", 'send a string such as "0.5"'],
  [true, "not_a_string", 'send a string such as "0.5"'],
  [Number.NaN, "not_a_string", 'send a string such as "0.5"'],
  [-5, "not_a_string", 'send a string such as "0.5"'],
  [1e21, "not_a_string", 'send a string such as "0.5"'],
  [0.1 + 0.2, "not_a_string", 'send a string such as "0.5"'],
  [5, "not_a_string", 'send "5" as a string'],
  [0.5, "not_a_string", 'send "0.5" as a string'],
  [5n, "not_a_string", 'send "5" as a string'],
  ["", "empty", 'write a decimal such as "0.5" (got "")'],
  [" 1", "whitespace", 'write "1" instead of " 1"'],
  ["1 ", "whitespace", 'write "1" instead of "1 "'],
  ["1\n", "whitespace", 'write "1" instead of "1\\n"'],
  ["1 000", "whitespace", '(got "1 000")'],
  [" ", "whitespace", '(got " ")'],
  ["-6%", "not_a_number", 'a percentage is not taken here: write the amount itself (got "-6%")'],
  ["5%", "not_a_number", '(got "5%")'],
  ["+1", "sign", 'write "1" instead of "+1"'],
  ["-1", "sign", '(got "-1")'],
  ["-0", "sign", '(got "-0")'],
  ["-.5", "sign", '(got "-.5")'],
  ["−1", "sign", '(got "−1")'],
  ["1e3", "exponent", 'write "1000" instead of "1e3"'],
  ["1.5E+3", "exponent", 'write "1500" instead of "1.5E+3"'],
  ["12e-1", "exponent", 'write "1.2" instead of "12e-1"'],
  ["1e-8", "exponent", 'write "0.00000001" instead of "1e-8"'],
  ["0e5", "exponent", 'write "0" instead of "0e5"'],
  ["1e-9", "exponent", '(got "1e-9")'],
  ["1e18", "exponent", '(got "1e18")'],
  ["1e10", "exponent", 'write "10000000000" instead of "1e10"'],
  ["1e100", "exponent", '(got "1e100")'],
  ["1.2.3e5", "exponent", '(got "1.2.3e5")'],
  ["1e999999999", "exponent", '(got "1e999999999")'],
  ["1,000", "thousands_separator", 'write "1000" instead of "1,000"'],
  ["1,234,567.5", "thousands_separator", 'write "1234567.5" instead of "1,234,567.5"'],
  ["12,000.25", "thousands_separator", 'write "12000.25" instead of "12,000.25"'],
  ["1234,567", "thousands_separator", '(got "1234,567")'],
  ["1_000", "thousands_separator", 'write "1000" instead of "1_000"'],
  ["1'000", "thousands_separator", `write "1000" instead of "1'000"`],
  ["1,5", "thousands_separator", '(got "1,5")'],
  ["1.234,56", "thousands_separator", '(got "1.234,56")'],
  ["1,0000", "thousands_separator", '(got "1,0000")'],
  ["007", "leading_zero", 'write "7" instead of "007"'],
  ["00", "leading_zero", 'write "0" instead of "00"'],
  ["00.5", "leading_zero", 'write "0.5" instead of "00.5"'],
  ["01.25", "leading_zero", 'write "1.25" instead of "01.25"'],
  [`1${"0".repeat(18)}`, "too_many_integer_digits", `(got "1${"0".repeat(18)}")`],
  [`${"9".repeat(19)}.25`, "too_many_integer_digits", `(got "${"9".repeat(19)}.25")`],
  ["0.123456789", "too_many_fraction_digits", '(got "0.123456789")'],
  ["0.500000000", "too_many_fraction_digits", 'write "0.5" instead of "0.500000000"'],
  ["100.000000000", "too_many_fraction_digits", 'write "100" instead of "100.000000000"'],
  ["1.", "not_a_number", 'write "1" instead of "1."'],
  [".5", "not_a_number", 'write "0.5" instead of ".5"'],
  ["１２", "not_a_number", 'write "12" instead of "１２"'],
  ["１２．５", "not_a_number", 'write "12.5" instead of "１２．５"'],
  ["10²", "not_a_number", '(got "10²")'],
  ["½", "not_a_number", '(got "½")'],
  ["NaN", "not_a_number", '(got "NaN")'],
  ["Infinity", "not_a_number", '(got "Infinity")'],
  ["-Infinity", "not_a_number", '(got "-Infinity")'],
  ["0x10", "not_a_number", '(got "0x10")'],
  ["1.2.3", "not_a_number", '(got "1.2.3")'],
  [".", "not_a_number", '(got ".")'],
  [",", "not_a_number", '(got ",")'],
  ["₩5", "not_a_number", 'write "5" instead of "₩5"'],
  ["₩1,000", "not_a_number", 'write "1000" instead of "₩1,000"'],
  ["1,000원", "not_a_number", 'write "1000" instead of "1,000원"'],
  ["₩1e3", "not_a_number", '(got "₩1e3")'],
  ["1e3원", "not_a_number", '(got "1e3원")'],
  ["007원", "not_a_number", '(got "007원")'],
  [`₩${"9".repeat(19)}`, "not_a_number", `(got "₩${"9".repeat(19)}")`],
  [`${"9".repeat(19)}원`, "not_a_number", `(got "${"9".repeat(19)}원")`],
  ["₩0.123456789", "not_a_number", '(got "₩0.123456789")'],
  ["0.123456789원", "not_a_number", '(got "0.123456789원")'],
  ["1\u0000", "not_a_number", '(got "1\\u0000")'],
];

describe("parsing", () => {
  it.each(["0", "1", "0.5", "0.10", "10", "1234567.125", "0.00000001", widest])("accepts %s", (text) => {
    for (const parse of [parsePrice, parseQuantity, parseNotional, parseRate]) {
      const parsed = parse(text);
      expect(parsed.ok && parsed.value.toFixed(8)).toBe(rate(text).toFixed(8));
    }
    expect(describeDecimalProblem(text)).toBeUndefined();
    expect(PLAIN_DECIMAL.test(text)).toBe(true);
    expect(SIGNED_PLAIN_DECIMAL.test(text)).toBe(true);
  });

  it.each(refusals)("refuses %o as %s, ending in %s", (input, reason, ending) => {
    const parsed = parsePrice(input);
    expect(parsed).toEqual({ ok: false, reason, message: expect.any(String) });
    expect(!parsed.ok && parsed.message.slice(-ending.length)).toBe(ending);
    expect(typeof input === "string" && PLAIN_DECIMAL.test(input)).toBe(false);
  });

  it.each([
    [" 1", 'spaces are not allowed: write "1" instead of " 1"'],
    ["+1", 'a sign is not allowed (the side, buy or sell, gives the direction): write "1" instead of "+1"'],
    ["1e3", 'an exponent is not allowed, write all digits: write "1000" instead of "1e3"'],
    ["1,000", 'thousands are not separated, and the decimal point is ".": write "1000" instead of "1,000"'],
    ["007", 'leading zeros are not allowed: write "7" instead of "007"'],
    [
      "1000000000000000000",
      'at most 18 digits may stand before the point: send a smaller number (got "1000000000000000000")',
    ],
    ["0.123456789", 'at most 8 digits may follow the point: round the number first (got "0.123456789")'],
    [
      "five",
      'this is not a plain decimal number: write ASCII digits with at most one point, such as "0.5" (got "five")',
    ],
    [0.5, 'a number must be sent as text, to keep it exact: send "0.5" as a string'],
  ])("writes what is wrong with %o as one sentence", (input, message) => {
    expect(describeDecimalProblem(input)?.message).toBe(message);
  });

  it("cuts long input in its message, and proposes nothing for it", () => {
    const message = describeDecimalProblem("x".repeat(10_000))?.message ?? "";
    expect(message).toContain(`(got "${"x".repeat(40)}…")`);
    expect(message.length).toBeLessThan(200);
    const padded = (length: number) => "1".padStart(length);
    expect(describeDecimalProblem(padded(40))?.message).toContain(`write "1" instead of "${padded(40)}"`);
    expect(describeDecimalProblem(padded(41))?.message).toContain(`(got "${" ".repeat(40)}…")`);
  });

  it("makes the kind that was asked for", () => {
    const made = [price("1"), quantity("1"), notional("1"), rate("1")];
    expect(made.map((value) => value.kind)).toEqual(["price", "quantity", "notional", "rate"]);
    const parsed = [parsePrice("1"), parseQuantity("1"), parseNotional("1"), parseRate("1")];
    expect(parsed).toEqual(made.map((value) => ({ ok: true, value })));
  });

  it("throws on a bad literal, naming kind and fix", () => {
    expect(() => price("1,000")).toThrow(/^bad price literal: .*write "1000" instead of "1,000"$/);
    expect(() => quantity("-1")).toThrow("bad quantity literal");
    expect(() => notional("")).toThrow("bad notional literal");
    expect(() => rate("5%")).toThrow("bad rate literal");
  });

  it.each(["-1", "-0.5", "-0.00000001", `-${widest}`, "0"])("lets a signed field be %s", (text) => {
    expect(SIGNED_PLAIN_DECIMAL.test(text)).toBe(true);
  });

  it.each(["-0", "-0.0", "-0.00", "--1", "+1", "-01", "-", "-.5", "-1e3", "-1.123456789", "-1\n"])(
    "lets no field be %o",
    (text) => {
      expect(SIGNED_PLAIN_DECIMAL.test(text)).toBe(false);
      expect(PLAIN_DECIMAL.test(text)).toBe(false);
    },
  );
});

describe("parsing, for all texts,", () => {
  const almostDecimal = fc.oneof(
    plainText,
    fc.string({ unit: fc.constantFrom(...Array.from("0123456789.,-+eE_ x")), maxLength: 30 }),
    fc.string({ unit: "binary" }),
  );

  it("finds a problem exactly where the grammar does not match", () => {
    fc.assert(
      fc.property(almostDecimal, (text) => {
        expect(describeDecimalProblem(text) === undefined).toBe(PLAIN_DECIMAL.test(text));
        expect(parsePrice(text).ok).toBe(PLAIN_DECIMAL.test(text));
      }),
    );
  });

  it("accepts, when signed, exactly the canonical negatives besides", () => {
    fc.assert(
      fc.property(plainText, (text) => {
        expect(SIGNED_PLAIN_DECIMAL.test(`-${text}`)).toBe(text !== "0");
      }),
    );
  });

  it("only proposes texts it accepts", () => {
    fc.assert(
      fc.property(almostDecimal, (text) => {
        const proposed = /write ("[^"]*") instead of/.exec(describeDecimalProblem(text)?.message ?? "")?.[1];
        expect(proposed === undefined || PLAIN_DECIMAL.test(JSON.parse(proposed))).toBe(true);
      }),
    );
  });

  it("spells an exponent out to the same number", () => {
    const mantissa = fc.bigInt(1n, 999_999n);
    fc.assert(
      fc.property(mantissa, fc.nat({ max: 8 }), fc.integer({ min: -2, max: 9 }), (digits, shift, exponent) => {
        const text = `${digits}.${"0".repeat(shift)}e${exponent}`.replace(".e", "e");
        const fixed = `${digits * 10n ** BigInt(exponent + 2)}`
          .padStart(3, "0")
          .replace(/(\d\d)$/, ".$1")
          .replace(/\.?0+$/, "");
        expect(describeDecimalProblem(text)?.message).toContain(`write "${fixed}" instead of`);
      }),
    );
  });
});

describe("the text of a price", () => {
  it("is that of its value, however it was written", () => {
    const zeros = fc.integer({ min: 0, max: 8 });
    fc.assert(
      fc.property(plainText, zeros, (text, more) => {
        const [integer = "", fraction = ""] = text.split(".");
        const padded = fraction.padEnd(Math.max(fraction.length, more), "0");
        const written = padded === "" ? integer : `${integer}.${padded}`;
        expect(priceText(written)).toBe(price(written).toString());
      }),
    );
  });

  it.each(["", "01", "1.", ".5", "-1", "1e3", " 1", "1\n", "1.123456789", "1234567890123456789"])(
    "is none of %j",
    (text) => {
      expect(() => priceText(text)).toThrow(DecimalInvariantError);
    },
  );
});
