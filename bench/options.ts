/** The words that every benchmark takes: `--smoke`, to see that it still works, `--full`, for figures that are kept, and `--huge`, for what takes long even then. */
import { parseArgs } from "node:util";

const flag = { type: "boolean", default: false } as const;

export const { smoke, full, huge } = parseArgs({
  options: { smoke: flag, full: flag, huge: flag },
  allowPositionals: true,
  strict: false,
}).values as { readonly smoke: boolean; readonly full: boolean; readonly huge: boolean };
