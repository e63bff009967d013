/**
 * Normalizes IP addresses, so that an allow-list holds addresses and not spellings. Entry point: `plainAddress`.
 * Source: service.md#ip-allow-list.
 */
import { isIPv4, isIPv6, SocketAddress } from "node:net";

const MAPPED = "::ffff:";

/** The shortest form of an IPv6 address, without its zone; an IPv4 address inside IPv6, as a dual-stack socket shows it, as IPv4. */
export function plainAddress(address: string): string {
  const zone = address.indexOf("%");
  const bare = zone < 0 ? address : address.slice(0, zone);
  if (!bare.includes(":") || !isIPv6(bare)) return bare;
  const short = new SocketAddress({ address: bare, family: "ipv6" }).address;
  const inner = short.slice(MAPPED.length);
  return short.startsWith(MAPPED) && isIPv4(inner) ? inner : short;
}
