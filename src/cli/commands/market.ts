/** `hoga book` and `hoga ticker`: the market as it is now. */
import { unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { bookText, tickerText } from "../text/market-text.ts";
import { paintOf } from "../text/paint.ts";
import { type LookOptions, look } from "./look.ts";

export interface BookOptions extends LookOptions {
  /** Levels a side. */
  readonly depth: number;
}

export async function book(symbol: string, options: BookOptions, run: Invocation): Promise<void> {
  const { out, words } = run;
  await look(run, options, async (desk) => {
    const { environment } = desk;
    const view = unwrap(await desk.orderbook(symbol, options.depth));
    if (options.json === true) return out.printJson({ environment, ...view });
    out.print(`${words.say(`money.${environment}`)} ${bookText(view, words, paintOf(run))}`);
  });
}

export async function ticker(symbols: readonly string[], options: LookOptions, run: Invocation): Promise<void> {
  const { out, words } = run;
  await look(run, options, async (desk) => {
    const { environment } = desk;
    const tickers = unwrap(await desk.tickers(symbols));
    if (options.json === true) return out.printJson({ environment, tickers });
    out.print(`${words.say(`money.${environment}`)}\n${tickerText(tickers, words, paintOf(run))}`);
  });
}
