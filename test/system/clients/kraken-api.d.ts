/** The parts of the package that the test uses; it brings no types of its own. */
declare module "kraken-api" {
  export default class KrakenClient {
    constructor(key: string, secret: string, options: { readonly url: string });
    /** Rejects with the codes of the answer, their first letter cut off. */
    // biome-ignore lint/suspicious/noExplicitAny: the package does not say
    api(method: string, params?: Record<string, unknown>): Promise<any>;
  }
}
