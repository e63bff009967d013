/**
 * Finds the known name nearest to a misspelled one, for "did you mean". Entry point: `nearName`.
 */

export function nearName(written: string, known: readonly string[]): string | undefined {
  if (written.length > 40) return undefined;
  const ranked = known
    .map((name) => ({ name, distance: editDistance(bare(written), bare(name)) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(1, Math.trunc(best.name.length / 4)) ? best.name : undefined;
}

/** A name without the differences between camelCase, kebab-case and snake_case. */
function bare(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, "");
}

/** Levenshtein distance. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
