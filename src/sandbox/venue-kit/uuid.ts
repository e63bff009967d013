/** UUIDs of version 4, made of another id by a hash, so that the same gives the same. Entry points: `uuidOf`, `tradeUuid`. */
import { createHash } from "node:crypto";

export function uuidOf(text: string): string {
  const hex = createHash("sha256").update(text).digest("hex");
  const variant = "89ab".charAt("0123456789abcdef".indexOf(hex.charAt(16)) % 4);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** Both sides of a trade have the same. */
export function tradeUuid(symbol: string, tradeSeq: number): string {
  return uuidOf(`trade ${symbol} ${tradeSeq}`);
}
