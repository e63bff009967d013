/** The two words that every benchmark takes: `--smoke`, to see that it still works, and `--full`, for figures that are kept. */
import { parseArgs } from "node:util";

const flag = { type: "boolean", default: false } as const;

export const { smoke, full } = parseArgs({
  options: { smoke: flag, full: flag },
  allowPositionals: true,
  strict: false,
}).values as { readonly smoke: boolean; readonly full: boolean };
