/** What the sandbox needs to know of the family to be an Upbit: its markets, where its stream is, the family itself. */
import { UPBIT_MARKETS } from "./market-rules.ts";
import { upbitFamily } from "./upbit-family.ts";

export const UPBIT = { markets: UPBIT_MARKETS, streamPath: "/websocket/v1", family: upbitFamily } as const;
