/**
 * An assistant as people run one: the SDK's 1.x client, which launches `node dist/cli.js serve` and speaks to it over stdio.
 */
import { once } from "node:events";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import type { Place } from "../../fixture/data-dir.ts";
import { CLI, environment } from "../../fixture/program.ts";
import type { ShownBalance, ShownOrder } from "../../fixture/witness.ts";

/** What a tool answered, as far as these tests look at it. */
export interface Reply {
  readonly isError: boolean;
  readonly outcome?: string;
  readonly state?: string;
  readonly next_action?: string;
  readonly order?: ShownOrder;
  readonly orders?: readonly ShownOrder[];
  readonly balances?: readonly ShownBalance[];
  readonly candles?: readonly { readonly time: string; readonly open: string; readonly close: string }[];
  readonly unresolved?: readonly unknown[];
  readonly next_cursor?: string | null;
  readonly error?: { readonly code: string; readonly message: string };
}

export interface Assistant {
  readonly pid: number;
  call(tool: string, args?: object): Promise<Reply>;
  stderr(): string;
  /** As a crash or a power switch does it; resolves when the process is gone. Calls under way fail. */
  kill(): Promise<void>;
  /** As a desktop does it: closes the server's stdin and waits for its end. */
  close(): Promise<void>;
}

const living = new Set<number>();
process.once("exit", killLiving);

function killLiving(): void {
  for (const pid of living)
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has just ended by itself.
    }
}

export async function connect(place: Place & { readonly home: string }): Promise<Assistant> {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [CLI, "serve"],
    env: environment(place),
    stderr: "pipe",
  });
  let stderr = "";
  transport.stderr?.on("data", (text: Buffer) => {
    stderr += text.toString();
  });
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(transport);
  const pid = transport.pid ?? 0;
  living.add(pid);
  const gone = new Promise<void>((resolve) => {
    client.onclose = () => {
      living.delete(pid);
      resolve();
    };
  });
  return {
    pid,
    stderr: () => stderr,
    call: async (tool, args = {}) => {
      const { isError, structuredContent } = await client.callTool({ name: tool, arguments: { ...args } });
      return { ...(structuredContent as object), isError: isError === true };
    },
    kill: async () => {
      process.kill(pid, "SIGKILL");
      await gone;
    },
    close: async () => {
      const stderrEnd = transport.stderr === null ? Promise.resolve() : once(transport.stderr, "close");
      await client.close();
      await Promise.all([gone, stderrEnd]);
    },
  };
}

/** Ends every assistant that is still there. */
export function endAssistants(): void {
  killLiving();
  living.clear();
}
