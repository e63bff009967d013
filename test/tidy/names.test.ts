import { describe, expect, it } from "vitest";
import { listFiles } from "./source.ts";

const banned = /^(utils?|helpers?|commons?|managers?)$/;
const kebabCase = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+(-[a-z0-9]+)*)*$/;

/** Names are kebab-case nouns of the domain, folders included. */
function badNames(path: string): string[] {
  const names = path.split("/");
  return names.flatMap((name) => {
    if (!kebabCase.test(name)) return [`${path}:1 "${name}" is not kebab-case`];
    const word = name.split(/[-.]/).find((part) => banned.test(part));
    return word === undefined ? [] : [`${path}:1 "${word}" says nothing; name what it is about`];
  });
}

const isCode = (path: string) => /\.(ts|tsx|mts|js|mjs|cjs)$/.test(path);

describe("file names", () => {
  it("are kebab-case nouns of the domain", () => {
    expect(["src", "test", "bench", "web"].flatMap(listFiles).filter(isCode).flatMap(badNames)).toEqual([]);
  });
});

describe("the name rule itself", () => {
  it.each([
    "src/desk/utils.ts",
    "src/desk/order-helpers.ts",
    "src/common/order.ts",
    "src/desk/manager.ts",
    "src/desk/OrderBook.ts",
    "src/desk/order_book.ts",
  ])("catches %s", (path) => {
    expect(badNames(path)).toHaveLength(1);
  });

  it.each(["src/desk/order-book.ts", "src/index.ts", "test/desk/policy.property.test.ts"])("lets %s pass", (path) => {
    expect(badNames(path)).toEqual([]);
  });
});
