import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TOOLS, TRANSFER_TOOLS } from "../../src/mcp/index.ts";
import { notOffered } from "../../src/mcp/input/not-offered.ts";
import { lackingValue, suggestField, suggestValue } from "../../src/mcp/input/suggestion.ts";

const ORDER = [
  "symbol",
  "side",
  "type",
  "base_volume",
  "quote_amount",
  "price",
  "time_in_force",
  "post_only",
  "userref",
];
const NAME = ["order_id", "userref", "symbol"];

/** Every word that a tool has for a field or a value. */
function wordsOf(json: unknown): readonly string[] {
  if (typeof json !== "object" || json === null) return [];
  const { properties = {}, enum: values = [] } = json as { properties?: object; enum?: readonly string[] };
  return [
    ...Object.keys(properties),
    ...values,
    ...Object.values(json).flatMap(wordsOf),
    ...Object.values(properties).flatMap(wordsOf),
  ];
}

describe("what hoga does not do", () => {
  it("has no word in it that a tool without plans has", () => {
    const others = [...TOOLS, ...TRANSFER_TOOLS].filter(({ module }) => module !== "plans");
    const words = new Set(others.flatMap((tool) => wordsOf(tool.inputJson())));
    expect(words.size).toBeGreaterThan(40);
    expect([...words].filter((word) => notOffered(word.toLowerCase().replaceAll("_", "")) !== undefined)).toEqual([]);
  });

  it("is not said of what the tool that is asked has a field or a value for", () => {
    const kinds = ["stop", "take_profit", "trailing_stop", "oco", "recurring", "slices", "alert"];
    for (const [said, meant] of [
      ["손절", "stop"],
      ["stop_loss", "stop"],
      ["익절", "take_profit"],
      ["트레일링 스탑", "trailing_stop"],
      ["적립식", "recurring"],
      ["분할매수", "slices"],
      ["TWAP", "slices"],
    ] as const)
      expect([suggestValue(said, kinds), lackingValue(said, kinds)]).toEqual([meant, undefined]);
    expect(suggestField("trigger_price", ["kind", "stop_price"]).fields).toEqual(["stop_price"]);
    expect(suggestField("callbackRate", ["kind", "trail"]).fields).toEqual(["trail"]);
    expect([suggestField("trigger_price", ORDER).fields, lackingValue("leverage", kinds)]).toEqual([
      [],
      expect.stringContaining("no margin"),
    ]);
  });
});

describe("did you mean", () => {
  it.each([
    ["timeInforce", ORDER, ["time_in_force"]],
    ["TIME-IN-FORCE", ORDER, ["time_in_force"]],
    ["prise", ORDER, ["price"]],
    ["qty", ORDER, ["base_volume", "quote_amount"]],
    ["amount", ORDER, ["quote_amount", "base_volume"]],
    ["quoteOrderQty", ORDER, ["quote_amount"]],
    ["limit_price", ORDER, ["price"]],
    ["pair", ORDER, ["symbol"]],
    ["newClientOrderId", ORDER, ["userref"]],
    ["orderId", NAME, ["order_id"]],
    ["uuid", NAME, ["order_id", "userref"]],
    ["qty", NAME, []],
    ["xyzzy", ORDER, []],
    ["", ORDER, []],
    ["constructor", ORDER, []],
    ["__proto__", ORDER, []],
    ["to", ORDER, []],
  ])("%s is %j", (unknown, known, fields) => {
    expect(suggestField(unknown, known).fields).toEqual(fields);
  });

  it("sends a dry run to preview_order", () => {
    expect(suggestField("dry_run", ORDER).text).toContain("preview_order");
  });

  it.each([
    ["BUY ", ["buy", "sell"], "buy"],
    ["bid", ["buy", "sell"], "buy"],
    ["매도", ["buy", "sell"], "sell"],
    ["sel", ["buy", "sell"], "sell"],
    ["both", ["buy", "sell"], undefined],
    ["TIER9", ["TIER1", "TIER2"], undefined],
    ["", ["buy"], undefined],
  ])("%j is %j → %s", (given, permitted, meant) => {
    expect(suggestValue(given, permitted)).toBe(meant);
  });

  it("only ever proposes what exists, for any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(ORDER).toEqual(expect.arrayContaining([...suggestField(text, ORDER).fields]));
        expect(["buy", "sell", undefined]).toContain(suggestValue(text, ["buy", "sell"]));
      }),
    );
  });
});
