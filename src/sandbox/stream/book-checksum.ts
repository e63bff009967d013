/** The checksum of a book, the sandbox's own implementation of the contract's rule (the client has another on purpose). */
import { crc32 } from "node:zlib";
import { type BookLevel, CHECKSUM_LEVELS } from "../../contract/index.ts";

/** @param buys best first, like `asks`; what is beyond the levels that count is passed over. */
export function checksumOf(buys: readonly BookLevel[], asks: readonly BookLevel[]): number {
  const [bought, asked] = [buys, asks].map((side) =>
    side
      .slice(0, CHECKSUM_LEVELS)
      .map((level) => level.join(":"))
      .join(","),
  );
  return crc32(Buffer.from(`${bought}|${asked}`, "ascii"));
}
