/**
 * One text for one address, however it is written, so that an allow-list means addresses and not spellings.
 */
import { isIPv4, isIPv6, SocketAddress } from "node:net";

const MAPPED = "::ffff:";

/** The shortest form of an IPv6 address, without its zone; IPv4 inside IPv6, as a socket for both shows it, is IPv4. */
export function plainAddress(address: string): string {
  const [bare = ""] = address.split("%");
  if (!isIPv6(bare)) return bare;
  const short = new SocketAddress({ address: bare, family: "ipv6" }).address;
  const inner = short.slice(MAPPED.length);
  return short.startsWith(MAPPED) && isIPv4(inner) ? inner : short;
}
