import { inspect } from "node:util";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Scrubber, Secret, scrubber } from "../../src/config/index.ts";
import { mayHoldRuns, runsIn } from "../../src/config/secrets/decoding.ts";
import { CANARY_KEY, CANARY_SECRET, ENCODINGS, formsOf, leaksIn, SPELLINGS } from "../fixture/canary.ts";

const canaries = new Scrubber([CANARY_KEY, CANARY_SECRET]);
const FORMS = [CANARY_KEY, CANARY_SECRET].flatMap((value) =>
  [...formsOf(value)].map(([name, form]) => [value === CANARY_KEY ? "key" : "secret", name, form] as const),
);

describe("a scrubber", () => {
  it.each(FORMS)("hides the %s in the spelling %s", (_, __, form) => {
    for (const text of [form, `before ${form} after`, `"${form}"`, `${form}${form}`, `x${form}x`])
      expect(leaksIn(canaries.text(text))).toEqual([]);
    expect(canaries.text(`before ${form}, after`)).toMatch(/^before .{0,2}\[secret\].{0,3}, after$/);
    expect(leaksIn(JSON.stringify(canaries.value({ deep: [{ [form]: [form] }] })))).toEqual([]);
  });

  it.each(FORMS)(
    "hides what is left of a long text that was cut in the middle of the %s in the spelling %s",
    (...given) => {
      const form = given[2];
      for (let end = 60; end < form.length; end++)
        expect(leaksIn(canaries.text(`before ${form.slice(0, end)}`))).toEqual([]);
    },
  );

  it("hides the key and its secret where they were encoded together", () => {
    const pair = `${CANARY_KEY}:${CANARY_SECRET}`;
    const text = canaries.text(`Authorization: Basic ${Buffer.from(pair).toString("base64")}`);
    expect(leaksIn(text)).toEqual([]);
    expect(text.length).toBeLessThan(60);
  });

  it("leaves everything else as it is, the very same object", () => {
    const value = { price: "150000000", nested: [{ text: "secret canary key" }], none: null, count: 3, yes: true };
    expect(canaries.value(value)).toBe(value);
    expect(canaries.text("secret canary key")).toBe("secret canary key");
    expect(new Scrubber().value(value)).toBe(value);
    expect(canaries.value(undefined)).toBeUndefined();
    expect(canaries.json(value)).toBe(JSON.stringify(value));
  });

  it.each(["aaaa\\a", 'aaaa"a', "aaaa\na"])("hides %j behind a percent sign, whatever JSON makes of it", (secret) => {
    const scrubber = new Scrubber();
    scrubber.add(secret);
    for (const before of ["%", "5%", "%%", "aaaaa%"]) {
      const shown = { text: `${before}[secret]` };
      expect(scrubber.value({ text: before + secret })).toEqual(shown);
      expect(JSON.parse(scrubber.json({ text: before + secret }))).toEqual(shown);
    }
  });

  it("changes strings and names of fields only", () => {
    const value = { [`a ${CANARY_KEY}`]: 1, list: [CANARY_SECRET, true, null, { n: 0.5 }], plain: "x" };
    const clean = { "a [secret]": 1, list: ["[secret]", true, null, { n: 0.5 }], plain: "x" };
    expect(canaries.value(value)).toEqual(clean);
    expect(JSON.parse(canaries.json(value))).toEqual(clean);
  });

  it("takes what has under six characters for no secret, as prices and words would be hidden with it", () => {
    const short = new Scrubber(["12345", "", "KRW"]);
    expect(short.text("12345 KRW")).toBe("12345 KRW");
    short.add("123456");
    expect(short.text("12345 KRW, 123456")).toBe("12345 KRW, [secret]");
  });

  it("is quick where nothing is to be hidden", () => {
    const rows = Array.from({ length: 5_000 }, (_, at) => ({
      time: at,
      open: "150000000",
      low: `${at}`,
      volume: "12.5",
    }));
    const hardest = "\\".repeat(5_000) + "+/".repeat(20_000) + "hoga+canary".repeat(1_000);
    canaries.text(hardest);
    const beganMs = performance.now();
    canaries.value(rows);
    canaries.text(hardest);
    // Twenty milliseconds; the bound is for a busy machine, and a bad expression would take for ever.
    expect(performance.now() - beganMs).toBeLessThan(2_000);
  });
});

/** What a careless or a hostile counterpart may do to a text, again and again. */
const STEPS: Readonly<Record<string, (text: string) => string>> = {
  ...SPELLINGS,
  ...Object.fromEntries(
    (["base64", "base64url", "hex"] as const).map((kind) => [kind, (text: string) => Buffer.from(text).toString(kind)]),
  ),
  "hex with colons": (text) => ENCODINGS["hex with colons"]?.(Buffer.from(text)) ?? "",
};
const anyStep = fc.constantFrom(...Object.keys(STEPS));
const WINDOW = 12;
const anyPart = fc
  .constantFrom(CANARY_KEY, CANARY_SECRET)
  .chain((value) =>
    fc
      .nat(value.length - WINDOW)
      .chain((from) => fc.integer({ min: from + WINDOW, max: value.length }).map((to) => value.slice(from, to))),
  );

describe("twelve characters of a secret in a row, and more", () => {
  it("are hidden wherever they begin, plain or encoded up to three times, alone or in other text", () => {
    const given = fc.tuple(
      anyPart,
      fc.array(anyStep, { maxLength: 3 }),
      fc.string({ maxLength: 5 }),
      fc.string({ maxLength: 5 }),
    );
    fc.assert(
      fc.property(given, ([part, steps, before, behind]) => {
        const encoded = steps.reduce((text, step) => STEPS[step]?.(text) ?? "", `${before} ${part} ${behind}`);
        const left = canaries.text(`it says: ${encoded}.`);
        expect(left).toContain("[secret]");
        expect(left).not.toContain(steps.reduce((text, step) => STEPS[step]?.(text) ?? "", part));
        expect(left).toMatch(/^it says: .*\.$/s);
      }),
      { numRuns: 200 },
    );
  });

  it("are all that is taken of a text, and eleven are left", () => {
    const [eleven, twelve] = [CANARY_SECRET.slice(20, 31), CANARY_SECRET.slice(20, 32)];
    expect(canaries.text(`<${eleven}>`)).toBe(`<${eleven}>`);
    expect(canaries.text(`/v1/orders?a=${twelve}&b=가격`)).toBe("/v1/orders?a=[secret]&b=가격");
    expect(canaries.text(`가격 ${twelve} ${CANARY_KEY} "${twelve}"`)).toBe('가격 [secret] [secret] "[secret]"');
  });
});

/** A key of any form, a base64 secret, or any text; what is a part of the word put in its place cannot be hidden by it. */
const anySecret = fc
  .oneof(
    fc.string({ unit: "grapheme-ascii", minLength: 6, maxLength: 100 }),
    fc.string({ unit: "grapheme", minLength: 6, maxLength: 40 }),
    fc.uint8Array({ minLength: 6, maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString("base64")),
    fc.uint8Array({ minLength: 6, maxLength: 80 }).map((bytes) => Buffer.from(bytes).toString("hex")),
  )
  .filter((value) => value.length >= 6 && ![...formsOf(value).values()].some((form) => "[secret]".includes(form)));

/** JSON with the text somewhere in it. */
const around = (text: string) =>
  fc.letrec<{ json: unknown }>((tie) => ({
    json: fc.oneof(
      { maxDepth: 6 },
      fc.tuple(fc.lorem(), fc.lorem()).map(([before, after]) => `${before} ${text} ${after}`),
      fc.constant(text),
      fc.array(tie("json"), { minLength: 1, maxLength: 3 }),
      fc.tuple(fc.constantFrom("a", text), tie("json")).map(([name, value]) => ({ [name]: value })),
    ),
  })).json;

describe("any secret", () => {
  it("is found in a line of JSON where it is short, and holds what is read as an escape besides what JSON escapes", () => {
    const [short, text] = ['U%a0O:"', 'one U%a0O:" two'];
    const one = new Scrubber([short]);
    expect([one.text(text), one.text(JSON.stringify(text))]).toEqual(["one [secret] two", '"one [secret] two"']);
    expect(one.text(JSON.stringify({ a: JSON.stringify(text) }))).toBe(JSON.stringify({ a: '"one [secret] two"' }));
  });

  it("appears in no output, in any spelling at any depth", () => {
    const cases = anySecret.chain((value) =>
      fc
        .constantFrom(...formsOf(value).values())
        .chain((form) => fc.tuple(fc.constant(value), fc.constant(form), around(form))),
    );
    fc.assert(
      fc.property(cases, ([value, form, json]) => {
        const one = new Scrubber([value]);
        const left = one.value(json);
        const strings = stringsIn(left);
        expect(strings.filter((text) => text.includes(form) || text.includes(value))).toEqual([]);
        expect(strings.some((text) => text.includes("[secret]"))).toBe(true);
        expect(one.text(JSON.stringify(json))).not.toContain(JSON.stringify(form).slice(1, -1));
      }),
      { numRuns: 120 },
    );
  });
});

function stringsIn(json: unknown): string[] {
  if (typeof json === "string") return [json];
  if (typeof json !== "object" || json === null) return [];
  return Object.entries(json).flatMap(([name, value]) => [...(Array.isArray(json) ? [] : [name]), ...stringsIn(value)]);
}

describe("every Secret", () => {
  it("is known to the scrubber of the process from the moment it is made", () => {
    const value = "made-for-this-test-8d1f";
    expect(scrubber.text(value)).toBe(value);
    const secret = new Secret(value);
    expect(scrubber.text(`${inspect(secret)} ${secret.reveal()}`)).toBe("[secret] [secret]");
  });
});

describe("runs of base64 and hex", () => {
  const printable = fc.stringMatching(/^[ -~]+$/);
  const around = fc.stringMatching(/^[ !"{}.,]*$/);
  const apart = fc.constantFrom("", " ", ":", "-");
  const hexOf = (bytes: Uint8Array, between: string): string =>
    Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join(between);
  const decoded = (text: string): string => [...runsIn(text)].map((run) => run.text).join("\n");

  it("are found from the shortest on, wherever they begin", () => {
    const longer = (least: number) =>
      printable.filter((text) => text.length >= least).map((text) => text.slice(0, least));
    fc.assert(
      fc.property(around, longer(9), longer(12), apart, (beside, nine, twelve, between) => {
        const base64 = Buffer.from(nine).toString("base64");
        expect(decoded(`${beside}${base64}${beside}`)).toContain(nine);
        expect(decoded(`${beside}${hexOf(Buffer.from(twelve), between)}${beside}`)).toContain(twelve);
        expect(decoded(`${beside}${hexOf(Buffer.from([0, 255, 1, 128, 9, 254]), between || " ")}`)).not.toBe("");
      }),
    );
  });

  it("are not looked for in a price", () => {
    const price = { symbol: "BTC/KRW", last: "150000000", quote_volume: "18000000000.5", time: "2026-07-01T00:00:00Z" };
    expect(mayHoldRuns(JSON.stringify({ jsonrpc: "2.0", id: 1, result: { structuredContent: price } }))).toBe(false);
  });
});
