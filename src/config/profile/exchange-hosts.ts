/**
 * Other exchanges that are known by name: their addresses are refused by it, so that nobody's key is signed with for a service it is not of.
 *
 * Source: decision 0064.
 */
import { ConfigError } from "../files/config-error.ts";

/** Lists what a profile may name. All but `hoga` are known and not traded on yet. */
export const EXCHANGES = ["hoga", "upbit", "bithumb", "korbit", "coinone", "kraken", "binance", "okx"] as const;
export type ExchangeName = (typeof EXCHANGES)[number];

interface KnownExchange {
  readonly title: string;
  /** Registered domains: every host below one of them is its. */
  readonly domains: readonly string[];
}

const PLANNED: Readonly<Record<Exclude<ExchangeName, "hoga">, KnownExchange>> = {
  upbit: { title: "Upbit", domains: ["upbit.com"] },
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
 * @param where the profile, as a message names it
 * @throws ConfigError for an exchange, or an address of one, that hoga does not trade on
 */
export function checkExchange(exchange: ExchangeName, baseUrl: string | undefined, where: string): void {
  if (exchange !== "hoga")
    throw new ConfigError(
      `hoga does not trade on ${PLANNED[exchange].title} yet: ${where} names it.`,
      'Leave exchange out, or write exchange = "hoga", with the address of an exchange that speaks hoga\'s API.',
    );
  const host = baseUrl === undefined ? "" : new URL(baseUrl).hostname.replace(/\.+$/, "");
  for (const [name, known] of Object.entries(PLANNED))
    if (isHostOf(host, known))
      throw new ConfigError(
        `${host} is ${known.title}: write exchange = "${name}".`,
        `Correct ${where}; nothing was started, and nothing was sent there.`,
      );
  const other = OTHERS.find((known) => isHostOf(host, known));
  if (other !== undefined)
    throw new ConfigError(
      `hoga cannot trade on ${other.title}: no adapter.`,
      `Correct ${where}: ${host} is ${other.title}. Nothing was started, and nothing was sent there.`,
    );
}

function isHostOf(host: string, { domains }: KnownExchange): boolean {
  return domains.some((domain) => host === domain || host.endsWith(`.${domain}`));
}
