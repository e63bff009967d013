/** `hoga serve`: MCP over stdio, or over Streamable HTTP. */
import { defined } from "../../contract/index.ts";
import { handshakeOf, type Pictures, type ServerFactory } from "../../mcp/index.ts";
import { serveOverStdio } from "../../serve/index.ts";
import type { Spans } from "../../telemetry/index.ts";
import type { Composition } from "../composition/compose.ts";
import { type ServedProfile, servedProfile } from "../composition/served-profile.ts";
import type { Invocation } from "../invocation.ts";
import { untilStopped } from "../shutdown.ts";
import { VERSION } from "../version.ts";

export interface ServeOptions {
  readonly profile?: string;
  readonly http?: boolean;
  readonly host: string;
  readonly port: number;
  readonly json?: boolean;
  readonly showToken?: boolean;
}

export async function serve(options: ServeOptions, run: Invocation): Promise<void> {
  const { profile, http, host, port, json } = options;
  if (http !== true) return serveStdio(profile, run);
  const { httpConfiguration, isHandedOut, serving, untilHttpStopped } = await import("../composition/serving.ts");
  const onNotice = (message: string): void => run.out.notice(message);
  return untilHttpStopped(run, await serving(run, await servedProfile(run.env, profile), { onNotice }), {
    host,
    port,
    onNotice,
    announce: ({ mcp, page: link }, token) => {
      if (!isHandedOut(run, options)) {
        sayWhere(mcp, json, run);
        return;
      }
      const page = link();
      run.out.printHandingOut(token, (shown) => {
        const configuration = httpConfiguration(mcp, shown);
        return json === true
          ? { mcp_url: mcp, page_url: page, http_configuration: configuration }
          : [
              `MCP at ${mcp}`,
              `Page at ${page} (opens once, within 10 minutes)`,
              "",
              "To connect an assistant, paste this into its MCP configuration; whoever has the token trades:",
              "",
              JSON.stringify(configuration, null, 2),
            ].join("\n");
      });
    },
  });
}

/** Tells where it is, and where the token is, for whatever keeps what is printed. */
function sayWhere(mcp: string, json: boolean | undefined, { out, home }: Invocation): void {
  const where = `The token that lets a client in is in ${home.httpToken}; --show-token prints it, with the entry to paste and a link to the page.`;
  if (json === true) out.printJson({ mcp_url: mcp, token_file: home.httpToken });
  else out.print(`MCP at ${mcp}\n${where}`);
}

/** Once a client has been silent for this long the desk is opened, and then its server: its first questions need neither, and are not to wait for them. */
const OPEN_AFTER_MS = 300;

export async function serveStdio(profileName: string | undefined, run: Invocation): Promise<void> {
  const served = await servedProfile(run.env, profileName);
  if (served.reader !== undefined) await run.isReadBy(served.reader);
  const parts = new Parts(run, served);
  let hasFailed = false;
  const onFailure = (error: unknown): void => {
    hasFailed = true;
    run.fail(error);
    void session.close();
  };
  const handshake = await handshakeOf({ ...served.profile, readOnly: served.readOnly, version: VERSION });
  const isToldOfPlans = served.profile.modules.includes("plans");
  const opening = setTimeout(() => {
    parts.open().then(() => isToldOfPlans && session.attend(), onFailure);
  }, OPEN_AFTER_MS);
  const { stdin, stdout, signals } = run.io;
  const session = serveOverStdio(() => parts.factory(), {
    stdin,
    stdout,
    signals,
    handshake,
    onEarlyAnswer: () => opening.refresh(),
    onError: onFailure,
  });
  await untilStopped(
    run,
    async () => {
      clearTimeout(opening);
      await session.close();
      await parts.close();
    },
    session.ended,
  );
  if (hasFailed) run.io.exit(run.exitCode);
}

/** The desk and its servers, each loaded when it is needed: a client that only lists the tools needs neither. */
class Parts {
  readonly #run: Invocation;
  readonly #served: ServedProfile;
  #composition: Promise<Composition> | undefined;
  #opened: Promise<void> | undefined;
  #factory: Promise<ServerFactory> | undefined;
  #spans: Promise<Spans | undefined> | undefined;
  #pictures: Pictures | undefined;

  constructor(run: Invocation, served: ServedProfile) {
    this.#run = run;
    this.#served = served;
  }

  factory(): Promise<ServerFactory> {
    this.#factory ??= this.#loadFactory();
    return this.#factory;
  }

  /** Opens the desk, and settles what an earlier process has left; once, however often the client falls silent. */
  open(): Promise<void> {
    this.#opened ??= this.#open();
    return this.#opened;
  }

  async #open(): Promise<void> {
    const { openAndSettle } = await import("../composition/upkeep.ts");
    const { upkeepOf } = await import("../composition/serving.ts");
    const composition = await this.#compose();
    await openAndSettle(composition, upkeepOf(this.#run, this.#notice)).catch((error: unknown) => {
      // A client may be gone before everything is settled; the next process continues.
      if (!composition.closing) throw error;
    });
  }

  async close(): Promise<void> {
    const factory = await this.#factory?.catch(() => undefined);
    this.#pictures?.close();
    await factory?.idle();
    const composition = await this.#composition;
    await composition?.close();
    await (await this.#spans)?.close();
  }

  async #loadFactory(): Promise<ServerFactory> {
    const { factoryOf, newPictures, newTurns } = await import("../composition/server-factory.ts");
    const pictures = newPictures();
    this.#pictures = pictures;
    const turns = newTurns();
    const [{ desk }, spans] = [await this.#compose(), await this.#spans];
    if (spans === undefined) return factoryOf(this.#run, this.#served, { desk, pictures, turns });
    const around = spans.around((_, call) => call());
    return factoryOf(this.#run, this.#served, { desk: spans.desk(desk), pictures, turns, around });
  }

  #compose(): Promise<Composition> {
    this.#composition ??= this.#composed();
    return this.#composition;
  }

  async #composed(): Promise<Composition> {
    const { compositionOf, portsOf, spansOf } = await import("../composition/serving.ts");
    this.#spans = spansOf(this.#run, this.#served);
    const spans = await this.#spans;
    const watch = spans && { onEvent: spans.client(() => {}), ...portsOf(spans) };
    return compositionOf(this.#run, this.#served, { onNotice: this.#notice, ...defined({ watch }) });
  }

  readonly #notice = (message: string): void => this.#run.out.notice(message);
}
