/** The tools as service.md has them, which is what the program is held against: in each module, in order, and which of them write. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const PAGE = readFileSync(join(import.meta.dirname, "..", "..", "docs", "reference", "service.md"), "utf8");

/** The tools that the row with this anchor names. */
function specified(anchor: string): readonly string[] {
  const [row = ""] = new RegExp(`<a id="${anchor}"></a>.*`).exec(PAGE) ?? [];
  const names = [...row.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name = ""]) => name);
  if (names.length === 0) throw new Error(`service.md#${anchor} names no tool`);
  return names;
}

export const SPECIFIED = {
  market: specified("tool-market"),
  account: specified("tool-account"),
  trade: specified("tool-trade"),
  plans: specified("tool-plans"),
  safety: specified("tool-safety"),
  transfers: specified("tool-transfers"),
  writes: specified("tool-read-only"),
};
