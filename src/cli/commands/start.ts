/** `hoga start`: everything on one machine, with what to paste into an assistant. */
import { homeOf } from "../../config/index.ts";
import { createHomePage, serveOverHttp } from "../../serve/index.ts";
import { notice, print, printJson } from "../output.ts";
import { untilStopped } from "../stopping.ts";
import { VERSION } from "../version.ts";
import { openAndSettle, serving } from "./serve.ts";

export interface StartOptions {
  readonly profile?: string;
  readonly port: number;
  readonly exchangePort: number;
  readonly json?: boolean;
}

export async function start(options: StartOptions): Promise<void> {
  const tell = (text: string): void => {
    if (options.json !== true) notice(text);
  };
  const { composition, factory } = serving(options.profile, { exchangePort: options.exchangePort, onNotice: tell });
  try {
    await openAndSettle(composition, tell);
    const exchange = await composition.exchangeUrl();
    const home = createHomePage(composition.desk);
    const http = await serveOverHttp({
      factory,
      host: "127.0.0.1",
      port: options.port,
      home: (url) => home({ exchange, mcp: `${url}/mcp`, console: url }),
    });
    const stopped = untilStopped(async () => {
      await http.close();
      await factory.idle();
      await composition.close();
    });
    const addresses = { exchange_url: exchange, mcp_url: `${http.url}/mcp`, console_url: http.url };
    if (options.json === true) printJson({ ...addresses, ...clientConfiguration() });
    else print(welcome(composition.desk.environment, homeOf(process.env).dir, addresses));
    await stopped;
  } catch (error) {
    await composition.close();
    throw error;
  }
}

/** What an assistant on this machine launches: this very program, over stdio, on the same data. */
function clientConfiguration(): { readonly mcpServers: { readonly hoga: object } } {
  const program = process.argv[1] ?? "dist/cli.js";
  return { mcpServers: { hoga: { command: process.execPath, args: [program, "serve"] } } };
}

function welcome(
  environment: string,
  dir: string,
  addresses: { readonly exchange_url: string; readonly mcp_url: string; readonly console_url: string },
): string {
  const money = environment === "live" ? "LIVE: real money" : "sandbox: paper money, nothing leaves this machine";
  return [
    `hoga ${VERSION} is running (${money})`,
    "",
    `  exchange  ${addresses.exchange_url}`,
    `  MCP       ${addresses.mcp_url}`,
    `  console   ${addresses.console_url}`,
    `  data      ${dir}`,
    "",
    "To connect an assistant over stdio, paste this into its MCP configuration:",
    "",
    JSON.stringify(clientConfiguration(), null, 2),
    "",
    "Ctrl-C stops it; the account is remembered.",
  ].join("\n");
}
