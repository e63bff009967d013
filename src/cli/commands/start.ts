/** `hoga start`: everything on one machine, with what to paste into an assistant. */
import { homeOf } from "../../config/index.ts";
import { notice, print, printJson } from "../output.ts";
import { serving, untilHttpStopped } from "../serving.ts";
import { VERSION } from "../version.ts";

export interface StartOptions {
  readonly profile?: string;
  readonly port: number;
  readonly exchangePort: number;
  readonly json?: boolean;
}

export async function start({ profile, port, exchangePort, json }: StartOptions): Promise<void> {
  const tell = (text: string): void => {
    if (json !== true) notice(text);
  };
  const parts = serving(profile, { exchangePort, onNotice: tell });
  const { desk } = parts.composition;
  await untilHttpStopped(parts, {
    host: "127.0.0.1",
    port,
    tell,
    announce: ({ exchange, mcp, page }) => {
      const addresses = { exchange_url: exchange, mcp_url: mcp, console_url: page };
      const configuration = clientConfiguration(profile);
      if (json === true) printJson({ ...addresses, ...configuration });
      else print(welcome({ environment: desk.environment, ...addresses }, configuration));
    },
  });
}

/** What an assistant on this machine launches: this very program, over stdio, with the same settings on the same data. */
function clientConfiguration(profile: string | undefined): { readonly mcpServers: { readonly hoga: object } } {
  const program = process.argv[1] ?? "dist/cli.js";
  const args = [program, "serve", ...(profile === undefined ? [] : ["--profile", profile])];
  const kept = Object.fromEntries(
    ["HOGA_HOME", "HOGA_PROFILE"].flatMap((name) => {
      const value = name === "HOGA_HOME" && process.env[name] ? homeOf(process.env).dir : process.env[name];
      return value === undefined || value === "" ? [] : [[name, value]];
    }),
  );
  const env = Object.keys(kept).length === 0 ? {} : { env: kept };
  return { mcpServers: { hoga: { command: process.execPath, args, ...env } } };
}

interface Running {
  readonly environment: string;
  readonly exchange_url: string;
  readonly mcp_url: string;
  readonly console_url: string;
}

function welcome(running: Running, configuration: object): string {
  const money =
    running.environment === "live" ? "LIVE: real money" : "sandbox: paper money, nothing leaves this machine";
  return [
    `hoga ${VERSION} is running (${money})`,
    "",
    `  exchange  ${running.exchange_url}`,
    `  MCP       ${running.mcp_url}`,
    `  console   ${running.console_url}`,
    `  data      ${homeOf(process.env).dir}`,
    "",
    "To connect an assistant over stdio, paste this into its MCP configuration:",
    "",
    JSON.stringify(configuration, null, 2),
    "",
    "Ctrl-C stops it; the account is remembered.",
  ].join("\n");
}
