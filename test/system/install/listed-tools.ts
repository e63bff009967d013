/** Asks a server over stdio for its tools, as an assistant that has just launched it. */
import { spawn } from "node:child_process";
import { eventually } from "../../fixture/command.ts";
import { environment } from "../../fixture/program.ts";

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

const clientInfo = { name: "test", version: "1" };
const MESSAGES = [
  { id: 0, method: "initialize", params: { protocolVersion: "2025-11-25", capabilities: {}, clientInfo } },
  { method: "notifications/initialized" },
  { id: 1, method: "tools/list" },
].map((message) => `${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** @param first what is sent between the greeting and the list, as calls of tools @returns names of tools, and every answer */
export async function listedTools({ command, args, env = {}, cwd }: Launch) {
  const child = spawn(command, args, {
    env: { ...environment({}), ...env },
    stdio: "pipe",
    ...(cwd === undefined ? {} : { cwd }),
  });
  let [stdout, stderr] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  child.once("error", (error) => {
    stderr += String(error);
  });
  child.stdin.on("error", () => undefined);
  child.stdin.write(MESSAGES.join(""));
  const isOver = () => child.exitCode !== null || child.signalCode !== null;
  const answer = await eventually(() => {
    if (isOver()) throw new Error(`it ended without a list of tools: ${stderr}`);
    const lines = stdout.split("\n").slice(0, -1);
    return lines.map((line) => JSON.parse(line) as Answer).find(({ id }) => id === 1);
  }, 120_000);
  child.stdin.end();
  return { names: answer.result.tools.map(({ name }) => name), code: await ended, stderr };
}

interface Answer {
  readonly id: number;
  readonly result: { readonly tools: readonly { readonly name: string }[] };
}
