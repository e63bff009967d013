/** Who reads, by all settings. Loaded when a command runs, as it brings the schemas of the settings. */
import { homeOf, readerIn } from "../config/index.ts";
import type { Invocation } from "./invocation.ts";

export function readSettings(run: Invocation): Promise<void> {
  return run.isReadBy(readerIn(homeOf(run.env), run.env));
}
