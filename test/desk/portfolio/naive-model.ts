/**
 * The portfolio worked out a second time, by somebody else: whole numbers, one sell after the other, every fraction over one common
 * denominator. Shares no code with the product. Amounts are in units of 1e-8.
 */

export interface NaiveFill {
  readonly asset: string;
  readonly side: "buy" | "sell";
  readonly price: bigint;
  readonly volume: bigint;
  readonly value: bigint;
  readonly fee: bigint;
  readonly feeIn: "KRW" | "coin";
  readonly atMs: number;
}

export interface NaiveAsset {
  readonly costed: bigint;
  readonly uncosted: bigint;
  readonly averageCost: string | null;
  readonly averagePrice: string | null;
  readonly cost: Ratio;
  readonly unrealized: Ratio;
  readonly realized: Ratio;
  readonly fees: Ratio;
}

/** Not in lowest terms. */
export type Ratio = readonly [above: bigint, below: bigint];

const ONE = 100_000_000n;

export function add([a, b]: Ratio, [c, d]: Ratio): Ratio {
  return b === d ? [a + c, b] : [a * d + c * b, b * d];
}

/** Half to even, at 8 decimals, as text without trailing zeros. @param ratio of units of 1e-8 */
export function written([above, below]: Ratio): string {
  const negative = above < 0n !== below < 0n && above !== 0n;
  const [a, b] = [above < 0n ? -above : above, below < 0n ? -below : below];
  const doubled = (2n * a) / b;
  const isExact = doubled * b === 2n * a;
  let units = a / b;
  if (doubled % 2n === 1n && (!isExact || units % 2n === 1n)) units += 1n;
  const text = units.toString().padStart(9, "0");
  const plain = `${text.slice(0, -8)}.${text.slice(-8)}`.replace(/\.?0+$/, "");
  return `${negative && plain !== "0" ? "-" : ""}${plain}`;
}

interface NaiveRequest {
  readonly method: "average" | "fifo";
  readonly fromMs: number;
  readonly toMs: number;
}

/** @param last in units of 1e-8 @param balance of the coin at the end */
export function naiveAsset(
  fills: readonly NaiveFill[],
  asset: string,
  { balance, last, ...request }: NaiveRequest & { readonly balance: bigint; readonly last: bigint },
): NaiveAsset {
  const own = fills.filter((fill) => fill.asset === asset);
  const pot = request.method === "average" ? averagePot() : queuePot();
  let fees: Ratio = [0n, 1n];
  for (const fill of own) {
    const { side, price, volume, value, fee, feeIn, atMs } = fill;
    const isIn = atMs >= request.fromMs && atMs <= request.toMs;
    const [krwFee, coinFee] = feeIn === "KRW" ? [fee, 0n] : [0n, fee];
    if (isIn) fees = add(fees, [krwFee * ONE + coinFee * price, ONE]);
    if (side === "buy") pot.put(volume - coinFee, value + krwFee, ((volume - coinFee) * price) / ONE);
    else pot.sell(volume + coinFee, value - krwFee, isIn);
  }
  if (pot.volume() > balance) pot.lose(pot.volume() - balance);
  const costed = pot.volume();
  const [cost, bare] = pot.costs();
  return {
    costed,
    uncosted: balance - costed,
    averageCost: costed === 0n ? null : written([cost[0] * ONE, cost[1] * costed]),
    averagePrice: costed === 0n ? null : written([bare[0] * ONE, bare[1] * costed]),
    cost,
    unrealized: add([costed * last, ONE], [-cost[0], cost[1]]),
    realized: pot.realized(),
    fees,
  };
}

interface Pot {
  volume(): bigint;
  costs(): readonly [cost: Ratio, bare: Ratio];
  put(volume: bigint, cost: bigint, bare: bigint): void;
  sell(volume: bigint, proceeds: bigint, isIn: boolean): void;
  /** Gone without a sell. */
  lose(volume: bigint): void;
  realized(): Ratio;
}

/** Every sell on its own: its proceeds less its share of the pot. All over one denominator. */
function averagePot(): Pot {
  let [volume, cost, bare, realized, below] = [0n, 0n, 0n, 0n, 1n];
  const widen = (by: bigint): void => {
    cost *= by;
    bare *= by;
    realized *= by;
    below *= by;
  };
  const take = (amount: bigint): bigint => {
    if (amount === volume) {
      const all = cost;
      [volume, cost, bare] = [0n, 0n, 0n];
      return all;
    }
    widen(volume);
    const taken = (cost / volume) * amount;
    bare -= (bare / volume) * amount;
    cost -= taken;
    volume -= amount;
    return taken;
  };
  return {
    volume: () => volume,
    costs: () => [
      [cost, below],
      [bare, below],
    ],
    put: (amount, krw, bareKrw) => {
      volume += amount;
      cost += krw * below;
      bare += bareKrw * below;
    },
    sell: (amount, proceeds, isIn) => {
      const known = amount < volume ? amount : volume;
      if (known === 0n) return;
      if (known < amount) widen(amount);
      const earned = known < amount ? ((proceeds * below) / amount) * known : proceeds * below;
      const before = below;
      const spent = take(known);
      if (isIn) realized += earned * (below / before) - spent;
    },
    lose: (amount) => void take(amount),
    realized: () => [realized, below],
  };
}

interface Bought {
  readonly volume: bigint;
  readonly cost: bigint;
  readonly bare: bigint;
  left: bigint;
  soldIn: bigint;
}

/** Every purchase on its own: how much of it was sold in the period. */
function queuePot(): Pot {
  const bought: Bought[] = [];
  let earned: Ratio = [0n, 1n];
  const take = (amount: bigint, isIn: boolean): void => {
    let wanted = amount;
    for (const lot of bought) {
      const part = lot.left < wanted ? lot.left : wanted;
      lot.left -= part;
      if (isIn) lot.soldIn += part;
      wanted -= part;
    }
  };
  const sumOf = (share: (lot: Bought) => Ratio): Ratio =>
    bought.reduce<Ratio>((sum, lot) => add(sum, share(lot)), [0n, 1n]);
  const part = (lot: Bought, of: bigint, krw: bigint): Ratio =>
    of === 0n ? [0n, 1n] : of === lot.volume ? [krw, 1n] : [krw * of, lot.volume];
  const volume = (): bigint => bought.reduce((sum, { left }) => sum + left, 0n);
  return {
    volume,
    costs: () => [sumOf((lot) => part(lot, lot.left, lot.cost)), sumOf((lot) => part(lot, lot.left, lot.bare))],
    put: (amount, cost, bare) => void bought.push({ volume: amount, cost, bare, left: amount, soldIn: 0n }),
    sell: (amount, proceeds, isIn) => {
      const held = volume();
      const known = amount < held ? amount : held;
      if (isIn && known > 0n) earned = add(earned, known === amount ? [proceeds, 1n] : [proceeds * known, amount]);
      take(known, isIn);
    },
    lose: (amount) => take(amount, false),
    realized: () => {
      const [above, below] = sumOf((lot) => part(lot, lot.soldIn, lot.cost));
      return add(earned, [-above, below]);
    },
  };
}
