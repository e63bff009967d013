/** `hoga webhooks listen`: receives, verifies and keeps webhooks, hands their orders to the desk, and shows them. */

import { ConfigError, homeOf, loadProfile, type Profile } from "../../config/index.ts";
import { ORDER_TRAITS, quoted, type WebhookEvent } from "../../contract/index.ts";
import { systemClock } from "../../transport/index.ts";
import { authenticWebhook } from "../../venues/index.ts";
import { composeCommand } from "../composition/compose.ts";
import { explain } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { untilStopped } from "../shutdown.ts";
import { type ShownWebhook, WebhookProcessing } from "../webhook/processing.ts";
import { receiveWebhooks } from "../webhook/receiver.ts";

export interface ListenOptions {
  readonly profile?: string;
  readonly port: number;
  readonly json?: boolean;
}

export async function listen(options: ListenOptions, run: Invocation): Promise<void> {
  const home = homeOf(run.env);
  const profile = loadProfile(home, run.env, options.profile);
  const secrets = secretsOf(profile);
  const { out } = run;
  const onNotice = (message: string): void => out.notice(message);
  const composition = composeCommand(run, profile);
  try {
    const { inbox } = await composition.store();
    const source = `${profile.environment}/${profile.name}`;
    const hasDesk = profile.baseUrl === undefined || profile.credentials !== undefined;
    const processing = new WebhookProcessing({
      inbox,
      source,
      now: () => systemClock.now(),
      show:
        options.json === true ? (webhook) => out.printJson(reported(webhook)) : (webhook) => out.print(lineOf(webhook)),
      onNotice,
      ...(hasDesk ? { hintDesk: (order) => composition.desk.notice(order) } : {}),
    });
    const receiver = await receiveWebhooks({
      host: "127.0.0.1",
      port: options.port,
      authenticate: (delivery) =>
        authenticWebhook(delivery, { secret: () => secrets.map((secret) => secret.reveal()) }),
      keep: async (webhook) => {
        if (await inbox.keep(source, webhook, systemClock.now())) processing.wake();
      },
      onError: (error) => onNotice(explain(error, run.words).join("\n")),
      onRefused: rateLimited(onNotice),
    });
    const stopped = untilStopped(run, async () => {
      await receiver.close();
      await processing.close();
      await composition.close();
    });
    if (options.json === true) out.printJson({ listening: receiver.url });
    else out.print(`Webhooks are received at ${receiver.url} for the profile ${profile.name}. Ctrl-C stops it.`);
    processing.start();
    await stopped;
  } catch (error) {
    await composition.close();
    throw error;
  }
}

function secretsOf(profile: Profile) {
  const secrets = profile.webhookSecrets();
  if (secrets.length > 0) return secrets;
  throw new ConfigError(
    `The profile "${profile.name}" has no webhook secret, so nothing that arrives could be believed.`,
    "Set HOGA_WEBHOOK_SECRET to what the exchange showed when the endpoint was registered (whsec_…).",
  );
}

const NOTICE_EVERY_MS = 10_000;

/** Refusals are the sender's to cause, as many as they like, and must not fill a log. */
function rateLimited(notice: (message: string) => void): (message: string) => void {
  let [lastAtMs, suppressed] = [Number.NEGATIVE_INFINITY, 0];
  return (message) => {
    const now = performance.now();
    if (now - lastAtMs < NOTICE_EVERY_MS) {
      suppressed += 1;
      return;
    }
    notice(suppressed === 0 ? message : `${message} (${suppressed} more before)`);
    [lastAtMs, suppressed] = [now, 0];
  };
}

/** Makes one line of `--json`. `seq` numbers the webhook for good: shown a second time it has the same. */
function reported({ seq, id, receivedAtMs, ...read }: ShownWebhook): object {
  const received_at = new Date(receivedAtMs).toISOString();
  if ("problem" in read) return { seq, id, received_at, problem: read.problem };
  const { type, created_at, data } = read.event;
  return { seq, id, type, created_at, received_at, data };
}

function lineOf({ id, receivedAtMs, ...read }: ShownWebhook): string {
  if ("problem" in read) return `${new Date(receivedAtMs).toISOString()}  ${id}: ${read.problem}`;
  const { created_at, type } = read.event;
  return `${created_at}  ${type.padEnd(TYPE_WIDTH)}  ${detailOf(read.event)}`;
}

/** Fits the most frequent types. */
const TYPE_WIDTH = 22;

function detailOf({ data }: WebhookEvent): string {
  if ("order" in data) {
    const { descr: _theirs, orderId, symbol, side, type, price, volume, amount, executed_volume } = data.order;
    const size = volume ?? `for ${amount ?? "0"}`;
    return `${side} ${size} ${symbol} ${ORDER_TRAITS[type].isPriced ? `@ ${price ?? ""}` : "at market"}, executed ${executed_volume}, order ${orderId}`;
  }
  if ("balance" in data) {
    const { asset, total, available, locked } = data.balance;
    return `${asset} ${total}: available ${available}, locked ${locked}`;
  }
  if ("settlement" in data) {
    const { asset, amount, mode, orderId } = data.settlement;
    return `${amount} ${asset}, ${mode}, order ${orderId}`;
  }
  // The others name what they are about, and its state.
  const { state, account_id: _theirs, ...named } = data;
  return Object.entries(named)
    .map(([name, id]) => `${name.replace(/_id$/, "")} ${quoted(id)} ${state}`)
    .join(", ");
}
