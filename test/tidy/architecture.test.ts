/** The diagrams of `docs/architecture.md` show the moves that the code permits, each of them and no other. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { INTENT_MOVES } from "../../src/desk/model/intent-state.ts";
import { PLAN_MOVES } from "../../src/desk/model/plan-state.ts";
import { TRANSFER_MOVES } from "../../src/desk/model/transfer-state.ts";
import { ROOT } from "./source.ts";

const page = readFileSync(join(ROOT, "docs/architecture.md"), "utf8");

/** The edges of the state diagram behind an anchor, sorted; where a state starts or ends is not an edge. */
function edgesOf(text: string, anchor: string): string[] {
  const [, section = ""] = text.split(`<a id="${anchor}"></a>`);
  const [, diagram = ""] = /```mermaid\nstateDiagram-v2\n([\s\S]*?)```/.exec(section) ?? [];
  return [...diagram.matchAll(/^ {2}(\w+) --> (\w+)(?:: .+)?$/gm)].map(([, from, to]) => `${from} --> ${to}`).sort();
}

function movesOf(table: Readonly<Record<string, readonly string[]>>): string[] {
  return Object.entries(table)
    .flatMap(([from, targets]) => targets.map((to) => `${from} --> ${to}`))
    .sort();
}

describe("the state diagram", () => {
  it.each([
    ["intent-states", INTENT_MOVES],
    ["transfer-states", TRANSFER_MOVES],
    ["plan-states", PLAN_MOVES],
  ])("%s has the edges of the table", (anchor, table) => {
    expect(edgesOf(page, anchor)).toEqual(movesOf(table));
  });

  it("is read edge by edge, so that one more or one fewer is seen", () => {
    const diagram = (edges: string) => `<a id="a"></a>\n\`\`\`mermaid\nstateDiagram-v2\n${edges}\n\`\`\``;
    const table = { open: ["filled"], filled: [] };
    expect(edgesOf(diagram("  [*] --> open: at first\n  open --> filled: done\n  filled --> [*]"), "a")).toEqual(
      movesOf(table),
    );
    expect(edgesOf(diagram("  open --> filled\n  filled --> open"), "a")).not.toEqual(movesOf(table));
    expect(edgesOf(diagram("  [*] --> open"), "a")).not.toEqual(movesOf(table));
  });
});
