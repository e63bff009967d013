/**
 * Where the venue is. A fixed address, or one to be asked for, and asked for again after a connection failed: the
 * embedded exchange may have moved to another port.
 */

export interface Address {
  readonly origin: string;
  /** Path in front of every endpoint's, without a trailing slash; usually empty. */
  readonly prefix: string;
}

export class BaseUrl {
  readonly #ask: () => Address | Promise<Address>;
  #known: Address | Promise<Address> | undefined;

  /** @throws TypeError for a fixed address that is not an http(s) URL. */
  constructor(given: string | (() => Promise<string>)) {
    if (typeof given === "string") {
      const fixed = parseAddress(given);
      this.#ask = () => fixed;
    } else {
      this.#ask = async () => parseAddress(await given());
    }
  }

  /** At hand, or to be waited for; rejects when it cannot be had or is not an http(s) URL. */
  address(): Address | Promise<Address> {
    if (this.#known !== undefined) return this.#known;
    const asked = this.#ask();
    this.#known = asked;
    if (asked instanceof Promise)
      asked.then((address) => this.#settle(asked, address)).catch(() => this.#settle(asked));
    return asked;
  }

  /** The connection failed: ask again next time. */
  forget(): void {
    this.#known = undefined;
  }

  #settle(asked: Promise<Address>, address?: Address): void {
    if (this.#known === asked) this.#known = address;
  }
}

function parseAddress(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) throw new TypeError("base_url is not an http or https URL");
  if (url.username !== "" || url.password !== "" || url.search !== "" || url.hash !== "")
    throw new TypeError("base_url carries more than host and path");
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, "") };
}
