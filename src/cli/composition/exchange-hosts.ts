/**
 * Other exchanges that are known by name: their addresses are refused by it, so that nobody's key is signed with for a service it is not of.
 *
 * Source: decision 0064.
 */
import { CARDS } from "../../venues/index.ts";

interface KnownExchange {
  readonly title: string;
  /** Registered domains: every host below one of them is its. */
  readonly domains: readonly string[];
}

/** Not traded on yet. */
export const PLANNED: Readonly<Record<string, KnownExchange>> = {
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

/** Whose address it is; without a name, one that hoga has no adapter for. */
export function ownerOf(host: string): { readonly name?: string; readonly title: string } | undefined {
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
