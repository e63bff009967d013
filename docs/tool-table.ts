/** The table of the guide to the tools: each module with its tools, in the order in which they are listed. */
import { TOOLS, TRANSFER_TOOLS } from "../src/mcp/index.ts";

/** @returns the guide, with the tools that there are below the head of its table */
export function withToolTable(guide: string): string {
  const tools = [...TOOLS, ...TRANSFER_TOOLS];
  const rows = [...new Set(tools.map(({ module }) => module))].map((module) => {
    const names = tools.filter((tool) => tool.module === module).map(({ name }) => `\`${name}\``);
    return `| ${module} | ${names.join(" ")} |\n`;
  });
  return guide.replace(/(\| module \| tools \|\n\|---\|---\|\n)(?:\|.*\n)*/, `$1${rows.join("")}`);
}
