/** `hoga start`: everything on one machine, with what to paste into an assistant. */
import { homeOf } from "../../config/index.ts";
import { launched } from "../command-line.ts";
import { servedProfile } from "../composition/served-profile.ts";
import { httpConfiguration, isHandedOut, serving, untilHttpStopped } from "../composition/serving.ts";
import type { Invocation } from "../invocation.ts";
import { VERSION } from "../version.ts";

export interface StartOptions {
  readonly profile?: string;
  readonly port: number;
  readonly exchangePort: number;
  readonly json?: boolean;
  readonly showToken?: boolean;
}

export async function start(options: StartOptions, run: Invocation): Promise<void> {
  const { profile, port, exchangePort, json } = options;
  const onNotice = (text: string): void => {
    if (json !== true) run.out.notice(text);
  };
  const served = await servedProfile(run.env, profile);
  const parts = await serving(run, served, { exchangePort, onNotice });
  const { desk } = parts.composition;
  await untilHttpStopped(run, parts, {
    host: "127.0.0.1",
    port,
    onNotice,
    announce: ({ exchange, mcp, page }, token) => {
      const overStdio = { mcpServers: { hoga: launched(run, profile) } };
      const { environment } = desk;
      const addresses = { exchange_url: exchange, mcp_url: mcp };
      if (!isHandedOut(run, options)) {
        if (json === true) run.out.printJson({ ...addresses, ...overStdio, token_file: run.home.httpToken });
        else run.out.print(welcome(run, { environment, ...addresses }, { overStdio }));
        return;
      }
      const running = { ...addresses, console_url: page() };
      run.out.printHandingOut(token, (shown) => {
        const overHttp = httpConfiguration(mcp, shown);
        return json === true
          ? { ...running, ...overStdio, http_configuration: overHttp }
          : welcome(run, { environment, ...running }, { overStdio, overHttp });
      });
    },
  });
}

interface Running {
  readonly environment: string;
  readonly exchange_url: string;
  readonly mcp_url: string;
  /** Only where it is handed out, as the next. */
  readonly console_url?: string;
}

interface Configurations {
  readonly overStdio: object;
  readonly overHttp?: object;
}

function welcome({ env, words }: Invocation, running: Running, { overStdio, overHttp }: Configurations): string {
  const { say } = words;
  return [
    say("start.running", {
      version: VERSION,
      money: say(running.environment === "live" ? "start.live" : "start.sandbox"),
    }),
    "",
    `  ${say("start.exchange")}  ${running.exchange_url}`,
    `  MCP       ${running.mcp_url}`,
    ...(running.console_url === undefined
      ? []
      : [`  ${say("start.console")}  ${running.console_url}  (${say("start.once")})`]),
    `  ${say("start.data")}  ${homeOf(env).dir}`,
    "",
    say("start.over_stdio"),
    "",
    JSON.stringify(overStdio, null, 2),
    "",
    ...(overHttp === undefined
      ? [say("start.token_in", { file: homeOf(env).httpToken })]
      : [say("start.over_http"), "", JSON.stringify(overHttp, null, 2), "", say("start.passkey")]),
    "",
    say("start.stop"),
  ].join("\n");
}
