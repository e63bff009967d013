/** Lists that are searched and split. Entry points: `prefixLength`, `grouped`. */

/** The number of items at the beginning of a list that match, where all items before a match match too. */
export function prefixLength<Item>(list: readonly Item[], matches: (item: Item) => boolean): number {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const item = list[middle];
    if (item !== undefined && matches(item)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** By their keys, in the order of the first of each. */
export function grouped<Key, Item>(items: readonly Item[], keyOf: (item: Item) => Key): ReadonlyMap<Key, Item[]> {
  const [first] = items;
  if (first === undefined) return new Map();
  const key = keyOf(first);
  if (items.every((item) => keyOf(item) === key)) return new Map([[key, [...items]]]);
  const groups = new Map<Key, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}
