/** The package has no types of its own; these are the calls the tests make. */
declare module "@binance/connector" {
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  type Answer = Promise<{ readonly status: number; readonly data: any; readonly headers: Record<string, string> }>;
  type Options = Record<string, string | number>;

  export class Spot {
    constructor(apiKey: string, apiSecret: string, options: { readonly baseURL: string });
    ping(): Answer;
    time(): Answer;
    exchangeInfo(options?: { symbol?: string; symbols?: string[] }): Answer;
    depth(symbol: string, options?: Options): Answer;
    trades(symbol: string, options?: Options): Answer;
    klines(symbol: string, interval: string, options?: Options): Answer;
    ticker24hr(symbol?: string, symbols?: string[], type?: string): Answer;
    tickerPrice(symbol?: string, symbols?: string[]): Answer;
    bookTicker(symbol?: string, symbols?: string[]): Answer;
    newOrder(symbol: string, side: string, type: string, options?: Options): Answer;
    newOrderTest(symbol: string, side: string, type: string, options?: Options): Answer;
    getOrder(symbol: string, options?: Options): Answer;
    cancelOrder(symbol: string, options?: Options): Answer;
    cancelOpenOrders(symbol: string): Answer;
    openOrders(options?: Options): Answer;
    allOrders(symbol: string, options?: Options): Answer;
    myTrades(symbol: string, options?: Options): Answer;
    account(options?: Options): Answer;
  }
}
