/** `hoga start`: everything on one machine, with what to paste into an assistant. */
import { homeOf, loadProfile } from "../../config/index.ts";
import { createMcpServer } from "../../mcp/index.ts";
import { renderHome, serveOverHttp } from "../../serve/index.ts";
import { compose } from "../compose.ts";
import { fail } from "../failure.ts";
import { notice, print, printJson } from "../output.ts";
import { untilStopped } from "../stopping.ts";
import { VERSION } from "../version.ts";

export interface StartOptions {
  readonly profile?: string;
  readonly port: number;
  readonly exchangePort: number;
  readonly json?: boolean;
}

export async function start(options: StartOptions): Promise<void> {
  const home = homeOf(process.env);
  const profile = loadProfile(home, process.env, options.profile);
  const composition = compose({
    home,
    profile,
    standBy: true,
    exchangePort: options.exchangePort,
    onNotice: (text) => (options.json === true ? undefined : notice(text)),
  });
  const factory = createMcpServer({
    desk: composition.desk,
    modules: profile.modules,
    version: VERSION,
    onError: fail,
  });
  try {
    await composition.open();
    const exchange = await composition.exchangeUrl();
    const http = await serveOverHttp({
      factory,
      host: "127.0.0.1",
      port: options.port,
      home: (url) => renderHome(composition.desk, { exchange, mcp: `${url}/mcp`, console: url }),
    });
    const addresses = { exchange_url: exchange, mcp_url: `${http.url}/mcp`, console_url: http.url };
    if (options.json === true) printJson({ ...addresses, ...clientConfiguration() });
    else print(welcome(profile.environment, home.dir, addresses));
    await composition.desk.reconcile();
    await untilStopped(async () => {
      await http.close();
      await factory.idle();
      await composition.close();
    });
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
