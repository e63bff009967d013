/** A server over HTTP and an exchange behind it, as an operator sees them: over HTTP, and on stderr. */
import { onTestFinished } from "vitest";
import { quartet, type Running } from "../fixture/command.ts";
import { type FaultProxy, startFaultProxy } from "../fixture/fault-proxy.ts";
import { type PolicyFile, wideHome } from "../fixture/home.ts";
import { addressIn, type HttpAddress } from "../fixture/http-address.ts";
import { start, startSandbox } from "../fixture/in-process.ts";
import { connectHttp, type Era, type TestClient } from "../mcp/client.ts";

export interface Operated {
  readonly home: string;
  readonly server: Running;
  readonly proxy: FaultProxy;
  readonly address: HttpAddress;
  /** Asks for a path, with the owner's token unless others are given. */
  readonly get: (path: string, headers?: Readonly<Record<string, string>>) => Promise<Response>;
  readonly figures: () => Promise<Figures>;
  readonly client: (era?: Era) => Promise<TestClient>;
}

export interface OperatedOptions {
  readonly policy?: PolicyFile;
  readonly env?: Readonly<Record<string, string>>;
}

export async function operated({ policy = {}, env = {} }: OperatedOptions = {}): Promise<Operated> {
  const { line } = await startSandbox({});
  const proxy = await startFaultProxy(line.base_url);
  onTestFinished(() => proxy.close());
  const home = wideHome(policy);
  const place = { home, env: { ...quartet(proxy.url, line.api_key, line.api_secret), ...env } };
  const server = start(["serve", "--http", "--port", "0", "--json", "--show-token"], place);
  const address = addressIn(await server.firstLine());
  const get = (path: string, headers = address.headers) => fetch(new URL(path, address.url), { headers });
  return {
    ...{ home, server, proxy, address, get },
    figures: async () => new Figures(await (await get("/metrics")).text()),
    client: async (era = "2026-07-28") => {
      const client = await connectHttp(era, address);
      onTestFinished(() => client.close());
      return client;
    },
  };
}

/** What `/metrics` has answered. */
export class Figures {
  readonly text: string;
  readonly #values: ReadonlyMap<string, number>;

  constructor(text: string) {
    this.text = text;
    this.#values = new Map(
      text
        .split("\n")
        .filter((line) => line !== "" && !line.startsWith("#"))
        .map((line) => {
          const at = line.lastIndexOf(" ");
          return [sorted(line.slice(0, at)), Number(line.slice(at + 1))];
        }),
    );
  }

  /** @param labels besides the account's; undefined where there is no such figure */
  of(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const all = { ...labels, account: "environment" };
    const list = Object.entries(all).map(([label, value]) => `${label}="${value}"`);
    return this.#values.get(sorted(`${name}{${list.join(",")}}`));
  }

  /** Ours, with their labels and without their values. */
  get names(): readonly string[] {
    return [...this.#values.keys()].filter((name) => name.startsWith("hoga_"));
  }
}

/** Labels may come in any order. */
function sorted(figure: string): string {
  const [, name = figure, labels = ""] = /^([^{]+)\{(.*)\}$/.exec(figure) ?? [];
  return `${name}{${labels.split(",").sort().join(",")}}`;
}
