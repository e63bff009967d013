/**
 * What a process that keeps running does beside its calls: it settles what has no answer, fires the cancel timer, keeps a halt, and sends what plans
 * have to tell.
 */
import { ConfigError, type Environment, type NotifyInForce, notifyIn } from "../../config/index.ts";
import { defined } from "../../contract/index.ts";
import { type Reader, wordsInFull } from "../../words/index.ts";
import type { Composition } from "./compose.ts";

export interface UpkeepParts {
  readonly env: Environment;
  readonly reader: Reader;
  readonly onNotice: (message: string) => void;
  readonly onFailure: (error: unknown) => void;
}

/** Where there is nothing to do, maintenance only reads the store. */
const MAINTENANCE_EVERY_MS = 1_000;

/** Opens everything. Orders without an answer are settled first of all, and from then on as they come. */
export async function openAndSettle(composition: Composition, parts: UpkeepParts): Promise<void> {
  const { onNotice, onFailure } = parts;
  await composition.open();
  const missing = await composition.missing();
  if (missing !== undefined) onNotice(missing);
  await maintain(composition, onNotice);
  scheduleMaintenance(composition, onNotice, onFailure);
  await tellReceiver(composition, parts);
}

/** Where `[notify]` is set; else nothing of it is loaded. */
async function tellReceiver(composition: Composition, parts: UpkeepParts): Promise<void> {
  const settings = notifySettings(composition, parts);
  if (settings === undefined) return;
  const { reader, onNotice } = parts;
  const { deliverNotices } = await import("../notice/delivery.ts");
  const words = await wordsInFull({ ...reader, ...defined({ locale: settings.locale }) });
  if (!composition.closing) deliverNotices(composition, settings, { words, onNotice });
}

/** What is wrong with them is said, and keeps nothing else from its work. */
function notifySettings({ home }: Composition, { env, onNotice }: UpkeepParts): NotifyInForce | undefined {
  try {
    return notifyIn(home, env);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    onNotice(`Notices are not sent: ${error.message} ${error.fix}`);
    return undefined;
  }
}

function scheduleMaintenance(
  composition: Composition,
  onNotice: (message: string) => void,
  onFailure: (error: unknown) => void,
): void {
  const next = setTimeout(() => {
    if (composition.closing) return;
    // After a failure too: a dead-man's switch that nobody fires any more would be worse.
    maintain(composition, onNotice)
      // What it was at was closed under it.
      .catch((error: unknown) => composition.closing || onFailure(error))
      .finally(() => scheduleMaintenance(composition, onNotice, onFailure));
  }, MAINTENANCE_EVERY_MS);
  next.unref();
}

async function maintain({ desk }: Composition, onNotice: (message: string) => void): Promise<void> {
  const found = await desk.upkeep();
  const settled = found.accepted + found.not_placed;
  if (settled > 0)
    onNotice(
      `settled ${settled} orders and transfers without an answer: ${found.accepted} placed, ${found.not_placed} not placed, ${found.still_unknown} still unknown`,
    );
}
