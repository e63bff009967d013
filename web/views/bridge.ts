/**
 * Owns the conversation with the chat that shows the view: JSON-RPC over `postMessage`, as MCP Apps has it (SEP-1865, 2026-01-26).
 *
 * Written here, as the protocol's own client for it would make each page ten times as large.
 *
 * Invariants: only messages of the window above are read; a request that the chat does not know is refused, never left unanswered.
 */
const PROTOCOL = "2026-01-26";

type Json = Readonly<Record<string, unknown>>;

/** What the chat says of itself, as far as a view uses it. */
export interface HostContext {
  readonly theme?: "light" | "dark";
  readonly locale?: string;
  readonly timeZone?: string;
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>> };
}

/** A tool's result, as the chat hands it on. */
export interface ToolResult {
  readonly content?: readonly { readonly type: string; readonly text?: string }[];
  readonly structuredContent?: Json;
  readonly isError?: boolean;
  readonly _meta?: Json;
}

interface Call {
  readonly name: string;
  readonly arguments: Json;
  readonly _meta?: Json;
}

export interface Listener {
  onContext(context: HostContext): void;
  onArguments(given: Json): void;
  onResult(result: ToolResult): void;
  onCanceled(): void;
}

export class Bridge {
  readonly #host: Window;
  readonly #listener: Listener;
  readonly #open = new Map<number, { resolve: (result: Json) => void; reject: (error: Error) => void }>();
  #requests = 0;
  #takesContext = false;

  constructor(host: Window, listener: Listener) {
    this.#host = host;
    this.#listener = listener;
    window.addEventListener("message", (event: MessageEvent<unknown>) => {
      if (event.source === host) this.#receive(event.data as Json);
    });
  }

  /** Says that the view is there, and follows how large it is. */
  async begin(): Promise<void> {
    const said = await this.#request("ui/initialize", {
      appInfo: { name: "hoga", version: "1" },
      appCapabilities: { availableDisplayModes: ["inline"] },
      protocolVersion: PROTOCOL,
    });
    this.#takesContext = (said["hostCapabilities"] as Json | undefined)?.["updateModelContext"] !== undefined;
    this.#listener.onContext((said["hostContext"] as HostContext | undefined) ?? {});
    this.#notify("ui/notifications/initialized", {});
    new ResizeObserver(() => {
      const { width, height } = document.documentElement.getBoundingClientRect();
      this.#notify("ui/notifications/size-changed", { width: Math.ceil(width), height: Math.ceil(height) });
    }).observe(document.documentElement);
  }

  /** Calls a tool of the server that the view is from. The chat may ask its user first, or refuse. */
  async call(call: Call): Promise<ToolResult> {
    return (await this.#request("tools/call", { ...call })) as ToolResult;
  }

  /** Tells the model what the person did here, where the chat passes that on. */
  async tell(text: string): Promise<void> {
    if (!this.#takesContext) return;
    // Whether the model knows is the chat's affair; the order stands.
    await this.#request("ui/update-model-context", { content: [{ type: "text", text }] }).catch(() => undefined);
  }

  #request(method: string, params: Json): Promise<Json> {
    this.#requests += 1;
    const id = this.#requests;
    const answered = new Promise<Json>((resolve, reject) => {
      this.#open.set(id, { resolve, reject });
    });
    this.#send({ id, method, params });
    return answered;
  }

  #notify(method: string, params: Json): void {
    this.#send({ method, params });
  }

  /** A sandboxed page cannot know the origin of the chat. */
  #send(message: Json): void {
    this.#host.postMessage({ jsonrpc: "2.0", ...message }, "*");
  }

  #receive(message: Json | null): void {
    if (message?.["jsonrpc"] !== "2.0") return;
    const { id, method, params, result, error } = message;
    if (typeof method === "string") this.#asked(id, method, (params as Json | undefined) ?? {});
    else if (typeof id === "number") {
      const open = this.#open.get(id);
      this.#open.delete(id);
      if (error === undefined) open?.resolve((result as Json | undefined) ?? {});
      else open?.reject(new Error(String((error as Json)["message"])));
    }
  }

  #asked(id: unknown, method: string, params: Json): void {
    if (id !== undefined) {
      const isKnown = method === "ping" || method === "ui/resource-teardown";
      this.#send({ id, ...(isKnown ? { result: {} } : { error: { code: -32601, message: `No ${method} here` } }) });
      return;
    }
    switch (method) {
      case "ui/notifications/host-context-changed":
        this.#listener.onContext(params as HostContext);
        break;
      case "ui/notifications/tool-input":
        this.#listener.onArguments((params["arguments"] as Json | undefined) ?? {});
        break;
      case "ui/notifications/tool-result":
        this.#listener.onResult(params as ToolResult);
        break;
      case "ui/notifications/tool-cancelled":
        this.#listener.onCanceled();
        break;
      default:
    }
  }
}
