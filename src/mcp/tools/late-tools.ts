/** Every tool, for whoever does not find theirs among `TOOLS`: those that a profile has to name are loaded by this call. */
import type { Tool } from "../tool/tool.ts";

export async function everyTool(): Promise<readonly Tool[]> {
  return (await import("./every-tool.ts")).EVERY_TOOL;
}
