/**
 * Other exchanges that are known by name: their addresses are refused by it, so that nobody's key is signed with for a service it is not of.
 *
 * Source: decision 0064.
 */
import { ConfigError, type Profile } from "../../config/index.ts";
import { defined, type Fault, localFault, type VenueCard } from "../../contract/index.ts";
import { CARDS } from "../../venues/index.ts";

interface KnownExchange {
  readonly title: string;
  /** Registered domains: every host below one of them is its. */
  readonly domains: readonly string[];
}

/** Not traded on yet. */
const PLANNED: Readonly<Record<string, KnownExchange>> = {
  bithumb: { title: "Bithumb", domains: ["bithumb.com"] },
  korbit: { title: "Korbit", domains: ["korbit.co.kr"] },
  coinone: { title: "Coinone", domains: ["coinone.co.kr"] },
  kraken: { title: "Kraken", domains: ["kraken.com"] },
  binance: { title: "Binance", domains: ["binance.com", "binance.us", "binance.vision"] },
  okx: { title: "OKX", domains: ["okx.com", "okex.com"] },
};

const OTHERS: readonly KnownExchange[] = [
  { title: "Coinbase", domains: ["coinbase.com"] },
  { title: "Bybit", domains: ["bybit.com", "bytick.com"] },
  { title: "Bitget", domains: ["bitget.com"] },
  { title: "Gate", domains: ["gate.io", "gate.com", "gateio.ws"] },
  { title: "KuCoin", domains: ["kucoin.com"] },
  { title: "Gopax", domains: ["gopax.co.kr"] },
  { title: "HTX", domains: ["htx.com", "huobi.pro", "huobi.com"] },
  { title: "MEXC", domains: ["mexc.com"] },
  { title: "Crypto.com", domains: ["crypto.com"] },
];

/**
 * The card of the exchange that a profile names, and its address.
 * @throws ConfigError for an exchange, or an address of one, that hoga does not trade on, or that is another's
 */
export function exchangeOf({ name, exchange, baseUrl, unit }: Named): {
  readonly card: VenueCard;
  readonly baseUrl?: string;
} {
  const where = `the profile "${name}"`;
  const card = CARDS.find((each) => each.name === exchange);
  if (card === undefined) throw unknownExchange(exchange, where);
  const host = baseUrl === undefined ? "" : new URL(baseUrl).hostname.replace(/\.+$/, "");
  const owner = ownerOf(host);
  if (owner !== undefined && owner.name === undefined)
    throw new ConfigError(
      `hoga cannot trade on ${owner.title}: no adapter.`,
      `Correct ${where}: ${host} is ${owner.title}. Nothing was started, and nothing was sent there.`,
    );
  if (owner !== undefined && owner.name !== exchange)
    throw new ConfigError(
      `${host} is ${owner.title}: write exchange = "${owner.name}".`,
      `Correct ${where}; nothing was started, and nothing was sent there.`,
    );
  if (exchange !== "hoga" && !card.quotes.includes(unit))
    throw new ConfigError(
      `${where} counts in ${unit}, and ${card.title.en} has markets in ${card.quotes.join(" and ")} alone.`,
      `Write unit = "${card.quotes[0]}", or leave it out.`,
    );
  const [own] = card.hosts;
  return { card, ...defined({ baseUrl: baseUrl ?? (own === undefined ? undefined : `https://${own}`) }) };
}

/**
 * Why no order with real money is placed at an exchange where nobody has tried hoga with a key; undefined where orders go.
 * Source: decision 0092.
 */
export function unprovenAt(
  { name, environment, acceptUnproven }: Pick<Profile, "name" | "environment" | "acceptUnproven">,
  { name: exchange, title, proof }: VenueCard,
): Fault | undefined {
  if (environment !== "live" || exchange === "hoga" || proof.L4 !== null || acceptUnproven === true) return undefined;
  return localFault("ELocal:Denied by policy", {
    rule: "unproven",
    message: `hoga was never tried with a real key of ${title.en}: it reads there, and places nothing. Nothing was sent.`,
    nextAction: `A person reads "hoga venues ${exchange}", tries it on "hoga sandbox --as ${exchange}", and then writes accept_unproven = true into [profiles.${name}].`,
  });
}

type Named = Pick<Profile, "name" | "exchange" | "baseUrl" | "unit">;

function unknownExchange(exchange: string, where: string): ConfigError {
  const planned = Object.hasOwn(PLANNED, exchange) ? PLANNED[exchange] : undefined;
  const names = CARDS.map(({ name }) => name).join(", ");
  if (planned === undefined)
    return new ConfigError(`hoga knows no exchange "${exchange}", which ${where} names.`, `Name one of: ${names}.`);
  return new ConfigError(`hoga does not trade on ${planned.title} yet: ${where} names it.`, `It trades on: ${names}.`);
}

/** Whose address it is; without a name, one that hoga has no adapter for. */
function ownerOf(host: string): { readonly name?: string; readonly title: string } | undefined {
  const traded = CARDS.find(({ hosts }) => hosts.some((each) => isBelow(host, domainOf(each))));
  if (traded !== undefined) return { name: traded.name, title: traded.title.en };
  const planned = Object.entries(PLANNED).find(([, known]) => isHostOf(host, known));
  if (planned !== undefined) return { name: planned[0], title: planned[1].title };
  return OTHERS.find((known) => isHostOf(host, known));
}

/** The registered domain of an API's host. */
function domainOf(host: string): string {
  const parts = host.split(".");
  return parts.slice(/\.co\.[a-z]{2}$/.test(host) ? -3 : -2).join(".");
}

function isBelow(host: string, domain: string): boolean {
  return host === domain || host.endsWith(`.${domain}`);
}

function isHostOf(host: string, { domains }: KnownExchange): boolean {
  return domains.some((domain) => isBelow(host, domain));
}
