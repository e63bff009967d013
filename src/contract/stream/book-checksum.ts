/**
 * Owns the checksum of an order book, as a rule and test vectors. There is no code for it here on purpose: the client and the
 * sandbox each implement it and agree at the vectors.
 *
 * The text of a level is `price:volume`, both exactly as in `tick`. A side is its best levels, 10 at most, best first, joined with
 * commas. The text hashed is the buys, a bar, the asks: `buys|asks`, in ASCII. The checksum is its CRC-32 (the one of zlib,
 * PNG and Ethernet: reflected polynomial 0xEDB88320) as an unsigned whole number.
 *
 * Equal prices have equal texts, as a decimal of the stream has no trailing zeros after the point (nor the point alone).
 *
 * Source: service.md#book-checksum.
 */
import type { BookLevel } from "../open/market.ts";

/** Levels of a side that the checksum covers. */
export const CHECKSUM_LEVELS = 10;

export const CHECKSUM_RULE =
  "A client keeps the best levels of a side by price: it takes over what a snapshot holds, then of each update removes a level with volume " +
  `\`0\` and sets every other. The checksum of an event is of the book as it is with that event: up to ${CHECKSUM_LEVELS} buys, the highest price ` +
  "first, each as `price:volume` with both texts exactly as they stand in `tick`, joined with `,`; then `|`; then up to " +
  `${CHECKSUM_LEVELS} asks, the lowest price first, likewise. A subscription with a smaller \`depth\` counts its own levels alone. \`checksum\` is ` +
  "the CRC-32 of that ASCII text (the one of zlib and PNG: reflected polynomial 0xEDB88320, initial value and final XOR 0xFFFFFFFF), as an " +
  "unsigned whole number. Another one means that something was lost: subscribe again.";

export interface ChecksumVector {
  readonly name: string;
  readonly tick: { readonly buys: readonly BookLevel[]; readonly asks: readonly BookLevel[] };
  /** Goes into the hash. */
  readonly text: string;
  readonly checksum: number;
}

export const CHECKSUM_VECTORS: readonly ChecksumVector[] = [
  { name: "an empty book", tick: { buys: [], asks: [] }, text: "|", checksum: 2343686810 },
  {
    name: "buys alone",
    tick: { buys: [["95000000", "0.015"]], asks: [] },
    text: "95000000:0.015|",
    checksum: 3806263891,
  },
  {
    name: "asks alone",
    tick: { buys: [], asks: [["95010000", "2"]] },
    text: "|95010000:2",
    checksum: 2017693135,
  },
  {
    name: "two levels a side",
    tick: {
      buys: [
        ["95000000", "0.015"],
        ["94990000", "1.00000001"],
      ],
      asks: [
        ["95010000", "2"],
        ["95020000", "0.5"],
      ],
    },
    text: "95000000:0.015,94990000:1.00000001|95010000:2,95020000:0.5",
    checksum: 4245234981,
  },
  {
    name: "prices below one, and the longest decimals there are",
    tick: {
      buys: [["0.00000001", "999999999999999999.99999999"]],
      asks: [["0.1", "1"]],
    },
    text: "0.00000001:999999999999999999.99999999|0.1:1",
    checksum: 1670172080,
  },
  {
    name: "eleven levels a side, of which ten count",
    tick: {
      buys: [
        ["1100", "0.1"],
        ["1099", "0.2"],
        ["1098", "0.3"],
        ["1097", "0.4"],
        ["1096", "0.5"],
        ["1095", "0.6"],
        ["1094", "0.7"],
        ["1093", "0.8"],
        ["1092", "0.9"],
        ["1091", "1"],
        ["1090", "1.1"],
      ],
      asks: [
        ["1200", "0.1"],
        ["1201", "0.2"],
        ["1202", "0.3"],
        ["1203", "0.4"],
        ["1204", "0.5"],
        ["1205", "0.6"],
        ["1206", "0.7"],
        ["1207", "0.8"],
        ["1208", "0.9"],
        ["1209", "1"],
        ["1210", "1.1"],
      ],
    },
    text:
      "1100:0.1,1099:0.2,1098:0.3,1097:0.4,1096:0.5,1095:0.6,1094:0.7,1093:0.8,1092:0.9,1091:1|" +
      "1200:0.1,1201:0.2,1202:0.3,1203:0.4,1204:0.5,1205:0.6,1206:0.7,1207:0.8,1208:0.9,1209:1",
    checksum: 272266803,
  },
];
