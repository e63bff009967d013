/** The thinnest MCP client over stdio: lines out, lines in. What it costs itself is the same for every server measured. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";

interface Reply {
  readonly id?: number;
  readonly result?: unknown;
  readonly error?: unknown;
}

export interface ToolResult {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
  readonly structuredContent?: unknown;
}

export class StdioClient {
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (reply: Reply) => void>();
  #lastId = 0;

  constructor(
    args: readonly string[],
    env: Readonly<Record<string, string>>,
    stderr: "inherit" | "ignore" = "inherit",
  ) {
    this.#child = spawn(process.execPath, [...args], {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", stderr],
    });
    // Whoever waits for an answer must not wait for ever: a crash fails the benchmark.
    this.#child.once("exit", (code, signal) => {
      const error = `the server ended (${signal ?? code}) before it answered`;
      for (const answer of this.#waiting.values()) answer({ error });
    });
    const { stdout } = this.#child;
    if (stdout === null) throw new Error("no stdout");
    createInterface({ input: stdout }).on("line", (line) => {
      const reply = JSON.parse(line) as Reply;
      if (reply.id !== undefined) this.#waiting.get(reply.id)?.(reply);
    });
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async initialize(): Promise<void> {
    const clientInfo = { name: "bench", version: "1.0.0" };
    await this.request("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
    this.#write({ jsonrpc: "2.0", method: "notifications/initialized" });
  }

  async request(method: string, params: object = {}): Promise<unknown> {
    this.#lastId += 1;
    const id = this.#lastId;
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.set(id, resolve);
      this.#write({ jsonrpc: "2.0", id, method, params });
    });
    this.#waiting.delete(id);
    if (reply.error !== undefined) throw new Error(JSON.stringify(reply.error));
    return reply.result;
  }

  async call(name: string, args: object): Promise<ToolResult> {
    const result = (await this.request("tools/call", { name, arguments: args })) as ToolResult;
    if (result.isError === true) throw new Error(`${name} failed: ${JSON.stringify(result).slice(0, 500)}`);
    return result;
  }

  /** Ends the server the way a client does: by closing its input. */
  async close(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once("exit", resolve));
    this.#child.stdin?.end();
    await ended;
  }

  #write(message: object): void {
    this.#child.stdin?.write(`${JSON.stringify(message)}\n`);
  }
}
