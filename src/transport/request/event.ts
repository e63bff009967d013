/** The events of a client, for logs and metrics: names, numbers and codes, never contents or secrets. */
import type { ReachedVenue } from "../../contract/index.ts";

export type ClientEvent =
  | {
      readonly type: "request_ended";
      readonly endpoint: string;
      /** 1 for the first attempt. */
      readonly attempt: number;
      readonly elapsedMs: number;
      readonly status?: number;
      /** Absent when it succeeded. */
      readonly code?: string;
      readonly reachedVenue: ReachedVenue;
    }
  | {
      readonly type: "read_retried";
      readonly endpoint: string;
      readonly afterMs: number;
      readonly code: string;
    }
  /** A signed call has its turn. */
  | { readonly type: "lane_entered"; readonly waitedMs: number }
  | { readonly type: "lane_paused"; readonly forMs: number }
  | { readonly type: "lane_failed"; readonly step: "enter" | "leave" | "pause" };

export type ClientListener = (event: ClientEvent) => void;
