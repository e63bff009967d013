/** `hoga sandbox`: the exchange alone, for other clients and for tests. */
import { resolve } from "node:path";
import { checkLogLevel, homeOf, prepareHome, withHome } from "../../config/index.ts";
import { defined } from "../../contract/index.ts";
import type { VenueName, venueAccess } from "../../sandbox/index.ts";
import { UsageError } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { PaperExchange, PaperExchangeError } from "../paper/exchange.ts";
import { untilStopped } from "../shutdown.ts";

export interface SandboxCommandOptions {
  readonly host: string;
  readonly port: number;
  readonly adminPort: number;
  readonly seed?: number;
  readonly speed?: number;
  readonly data?: string;
  readonly marketMaker: boolean;
  readonly usdt: boolean;
  readonly drafts: boolean;
  readonly as?: string;
  readonly variant?: string;
  readonly json?: boolean;
}

export async function sandbox(options: SandboxCommandOptions, run: Invocation): Promise<void> {
  checkLogLevel(run.env);
  const as = await venueOf(options);
  const dir = options.data === undefined ? ownDirectory(run, as) : resolve(withHome(options.data, run.env));
  const exchange = new PaperExchange({
    dir,
    standBy: false,
    onTrouble: (message) => run.out.notice(message),
    preferredPort: options.port,
    exactPort: true,
    speaks: as ?? "hoga",
    sandbox: {
      host: options.host,
      marketMaker: options.marketMaker,
      usdt: options.usdt,
      drafts: options.drafts,
      admin: { port: options.adminPort },
      ...defined({ seed: options.seed, speed: options.speed, variant: options.variant }),
    },
  });
  const baseUrl = await exchange.locate();
  if (!exchange.isHost)
    throw new PaperExchangeError(
      `The exchange in ${dir} is hosted by another process already, at ${baseUrl}.`,
      "Use that one, end it first, or give this one its own directory with --data.",
    );
  const stopped = untilStopped(run, () => exchange.close());
  const { apiKey, apiSecret } = exchange.key();
  const { admin, streamUrl = "" } = exchange;
  const { privateKey, marketsPath } = await accessOf(as, apiSecret);
  if (options.json === true) {
    const addresses = { ...defined({ as }), base_url: baseUrl, stream_url: streamUrl, admin_url: admin?.url ?? null };
    const keys = { api_key: apiKey, api_secret: apiSecret, ...defined({ private_key: privateKey }) };
    run.out.printKeyPair(JSON.stringify({ ...addresses, ...keys }));
  } else
    run.out.printKeyPair(
      [
        `The sandbox exchange is running at ${baseUrl}`,
        "",
        `  stream      ${streamUrl}`,
        `  API-Key     ${apiKey}`,
        `  API secret  ${apiSecret}`,
        ...(privateKey === undefined ? [] : ["  private key", ...privateKey.trimEnd().split("\n")]),
        `  admin       ${admin?.url ?? ""}`,
        `  data        ${dir}`,
        ...(options.drafts && as === undefined
          ? [`  drafts      ${baseUrl}/v0.1/ (payments and remittances; may change)`]
          : []),
        "",
        ...(as === undefined
          ? [`Try: curl ${baseUrl}/v1/markets, or open ${baseUrl} in a browser for the reference.`]
          : [`It speaks the API of ${as}. Try: curl ${baseUrl}${marketsPath}`]),
        `Accounts, keys, webhooks, faults, the clock: curl ${admin?.url ?? ""}/ lists what there is; for example`,
        `  curl -H "Authorization: Bearer $(cat '${admin?.tokenFile ?? ""}')" ${admin?.url ?? ""}/status`,
        "Ctrl-C stops it; accounts and orders are remembered.",
      ].join("\n"),
    );
  await stopped;
}

async function accessOf(
  as: VenueName | undefined,
  apiSecret: string,
): Promise<Partial<ReturnType<typeof venueAccess>>> {
  return as === undefined ? {} : (await import("../../sandbox/index.ts")).venueAccess(as, apiSecret);
}

async function venueOf({ as: name, variant }: SandboxCommandOptions): Promise<VenueName | undefined> {
  if (name === undefined && variant === undefined) return undefined;
  const { VENUE_NAMES, variantsOf } = await import("../../sandbox/index.ts");
  const found = VENUE_NAMES.find((known) => known === name);
  if (name === undefined) throw new UsageError("Only another exchange's API has variants.", "Name it with --as.");
  if (found === undefined)
    throw new UsageError(`The sandbox does not speak the API of ${name}.`, `Use one of: ${VENUE_NAMES.join(", ")}.`);
  const variants = variantsOf(found);
  if (variant === undefined || variants.includes(variant)) return found;
  throw new UsageError(`The API of ${name} has no variant ${variant}.`, `Use one of: ${variants.join(", ")}.`);
}

/** An exchange that speaks another API has other markets, and so a directory of its own. */
function ownDirectory({ env }: Invocation, as: VenueName | undefined): string {
  const home = homeOf(env);
  prepareHome(home);
  return as === undefined ? home.sandbox : `${home.sandbox}-${as}`;
}
