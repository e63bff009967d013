/** Owns what every view is given. */
import type { Bridge, ToolResult } from "./bridge.ts";
import type { ViewWords } from "./words/view-words.ts";

export interface ViewProps {
  readonly words: ViewWords;
  /** Arguments of the call that the view belongs to. */
  readonly given: Readonly<Record<string, unknown>>;
  readonly result: ToolResult;
  readonly bridge: Bridge;
}
