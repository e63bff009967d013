/**
 * What hangs on an order's type asks the table of traits, so that a new type cannot be forgotten in a comparison; what the desk decides by a refusal asks its
 * kind, as another exchange has other words for it.
 */
import { describe, expect, it } from "vitest";
import { faultFor, orderType } from "../../src/contract/index.ts";
import { isNode, nodesOf, readSources, type Source, violation } from "./source.ts";

const TYPES: readonly unknown[] = orderType.options;
const NAMES: readonly unknown[] = ["type", "orderType", "ordertype"];
const QUOTED = new RegExp(`["'](${TYPES.join("|")})["']`);

function comparisons(source: Source): string[] {
  if (!QUOTED.test(source.text)) return [];
  return nodesOf(source).flatMap(({ node }) => {
    const { left, right, operator } = node;
    if (node.type !== "BinaryExpression" || !["===", "!=="].includes(String(operator))) return [];
    const sides = [left, right].filter(isNode);
    const isLiteral = sides.some((side) => side.type === "Literal" && TYPES.includes(side["value"]));
    const isType = sides.some((side) =>
      NAMES.includes(side["name"] ?? (isNode(side["property"]) && side["property"]["name"])),
    );
    return isLiteral && isType ? [violation(source, node.start, "compares an order's type: ask ORDER_TRAITS")] : [];
  });
}

describe("an order's type", () => {
  it("is compared with no literal", () => {
    expect(readSources("src").flatMap(comparisons)).toEqual([]);
  });

  it("is found in a comparison, and other words are not", () => {
    const judge = (text: string) => comparisons({ path: "src/a.ts", text });
    expect(judge('\nif (order.type === "limit") stop();')).toEqual([
      "src/a.ts:2 compares an order's type: ask ORDER_TRAITS",
    ]);
    expect(judge('const market = "market" !== orderType;')).toHaveLength(1);
    expect(judge('const isTime = rule === "limit" || type === "filled";')).toEqual([]);
  });
});

/** Comparisons with an exchange's fault, in any form: `===`, a case, a list. */
function comparedFaults(source: Source): string[] {
  return nodesOf(source).flatMap(({ node, parent }) => {
    const isFault = node.type === "Literal" && faultFor(String(node["value"])) !== undefined;
    const isCompared = ["BinaryExpression", "SwitchCase", "ArrayExpression"].includes(parent?.type ?? "");
    return isFault && isCompared ? [violation(source, node.start, "compares an exchange's fault: ask faultKind")] : [];
  });
}

describe("a fault of the exchange", () => {
  it("is compared with no text in the desk", () => {
    expect(readSources("src/desk").flatMap(comparedFaults)).toEqual([]);
  });

  it("is found where it is compared, and not where it is made", () => {
    const judge = (text: string) => comparedFaults({ path: "src/desk/a.ts", text });
    expect(judge('\nif (code === "EOrder:Unknown order") stop();')).toEqual([
      "src/desk/a.ts:2 compares an exchange's fault: ask faultKind",
    ]);
    expect(judge('const LIST = ["EOrder:Unknown order"]; switch (a) { case "EAPI:Invalid nonce": }')).toHaveLength(2);
    expect(
      judge('const fault = checkFault("EOrder:Unknown order"); if (code === "ELocal:Unknown order") stop();'),
    ).toEqual([]);
  });
});
