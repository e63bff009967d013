/** Owns which markets a person means by what is typed: a part of the symbol, or of the Korean or English name. */

interface Named {
  readonly symbol: string;
  readonly korean_name: string;
  readonly english_name: string;
}

const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s/_-]/g, "");

export function matchesMarket({ symbol, korean_name, english_name }: Named, typed: string): boolean {
  const wanted = plain(typed);
  return [symbol, korean_name, english_name].some((name) => plain(name).includes(wanted));
}
