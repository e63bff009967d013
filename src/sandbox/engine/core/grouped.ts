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
