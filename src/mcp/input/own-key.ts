/**
 * Owns what of incoming JSON the parsers behind this cannot deal with. A key `__proto__` they drop silently, and an argument that is
 * not seen cannot be refused: it is renamed here to a name that no tool knows, and the strict schemas refuse it by that name. JSON that is
 * nested too deeply they run out of stack with: it is cut.
 */
const HIDDEN = "__proto__";
const SHOWN = "__proto__ (not a field)";
/** A line without these letters, plain or escaped, cannot hold the key. */
const SUSPECT = /proto__|\\u/i;
/** A line without as many brackets that open cannot be too deep. */
const OPENING = /[[{]/g;

/** Levels of lists and objects in a message; ours have fewer than ten. What comes after recurses, and would run out of stack. */
export const DEPTH_MAX = 64;
/** Stands where a line went deeper: not what was meant, so that the strict schemas refuse it. */
const CUT = "(nested too deeply)";

type Parent = Record<PropertyKey, unknown>;

/**
 * Renames the key wherever it is an object's own, and cuts off what is too deep: level by level, as a message may be nested as
 * deeply as it is long. Changes the value given and returns it.
 */
export function withOwnKeys(value: unknown, onTooDeep: () => void = ignored): unknown {
  let level = isNested(value) ? [value] : [];
  for (let depth = 1; level.length > 0; depth += 1) {
    const below: Parent[] = [];
    for (const parent of level) {
      showOwnKey(parent);
      for (const [key, child] of Object.entries(parent)) {
        if (!isNested(child)) continue;
        if (depth < DEPTH_MAX) {
          below.push(child);
        } else {
          parent[key] = CUT;
          onTooDeep();
        }
      }
    }
    level = below;
  }
  return value;
}

function ignored(): void {
  // What stands in its place is refused later.
}

function isNested(value: unknown): value is Parent {
  return typeof value === "object" && value !== null;
}

function showOwnKey(parent: Parent): void {
  const own = Object.getOwnPropertyDescriptor(parent, HIDDEN);
  if (own === undefined) return;
  Reflect.deleteProperty(parent, HIDDEN);
  Object.defineProperty(parent, SHOWN, own);
}

/** Tells whether there can be anything to change in what this text says. */
export function mayHoldMore(text: string): boolean {
  return SUSPECT.test(text) || (text.match(OPENING)?.length ?? 0) > DEPTH_MAX;
}
