/**
 * Says where the venue is: a fixed address, or a function that is called before every request, because the embedded exchange may move to
 * another port at any time.
 */

export interface Address {
  readonly origin: string;
  /** Prefix of every path, without a trailing slash; usually empty. */
  readonly prefix: string;
}

export class BaseUrl {
  readonly #ask: () => Address | Promise<Address>;

  /** @throws TypeError for a fixed address that is not an http(s) URL. */
  constructor(given: string | (() => Promise<string>)) {
    if (typeof given === "string") {
      const fixed = parseAddress(given);
      this.#ask = () => fixed;
    } else {
      this.#ask = async () => parseAddress(await given());
    }
  }

  /** Rejects when the address is not available or is not an http(s) URL. A fixed one is returned without a promise. */
  address(): Address | Promise<Address> {
    return this.#ask();
  }
}

function parseAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new TypeError("base_url is not an http or https URL");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new TypeError("base_url carries more than host and path");
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") };
}
