/** The reading part of a probe: an exchange is opened for it alone, without desk and store, and asked step by step. */
import { randomBytes } from "node:crypto";
import type { Profile } from "../../config/index.ts";
import type { Market, VenueCard } from "../../contract/index.ts";
import { createIds } from "../../desk/index.ts";
import { systemClock } from "../../transport/index.ts";
import { type Composition, composeCommand } from "../composition/compose.ts";
import type { Invocation } from "../invocation.ts";
import { NOT_REQUIRED, READ_STEPS, type ReadContext, type ReadStepName } from "./read-steps.ts";
import { type EndedStep, ended, hasPassed, Listening } from "./run-steps.ts";

export interface ReadProbe {
  readonly card: VenueCard;
  readonly environment: "sandbox" | "live";
  /** The exchange says of itself that it is a sandbox. */
  readonly practice: boolean;
  readonly passed: boolean;
  readonly steps: readonly EndedStep[];
  /** The first one that was looked at, with the rules that the exchange tells. */
  readonly market: Market | undefined;
}

/** @param tell called with each step when it has ended */
export async function readProbe(
  run: Invocation,
  profile: Profile,
  tell: (step: EndedStep, card: VenueCard) => void,
): Promise<ReadProbe> {
  const listening = new Listening();
  const watch = { onEvent: listening.onEvent, inspect: listening.fields.inspect };
  const composition = composeCommand(run, profile, false, watch);
  try {
    return await readAll(composition, profile, listening, tell);
  } finally {
    await composition.close();
  }
}

async function readAll(
  composition: Composition,
  { environment, unit }: Profile,
  listening: Listening,
  tell: (step: EndedStep, card: VenueCard) => void,
): Promise<ReadProbe> {
  const venue = await composition.probed();
  const { card } = composition.desk;
  const now = (): number => systemClock.now();
  const context: ReadContext = {
    ...{ venue, card, unit, now, markets: [] },
    freshId: () => createIds(systemClock, randomBytes).userref(),
  };
  const steps: EndedStep[] = [];
  for (const name of Object.keys(READ_STEPS) as ReadStepName[]) {
    const run = () => READ_STEPS[name](context);
    const step = await ended(name, !NOT_REQUIRED.includes(name), run, {
      listening,
      steady: () => systemClock.rising(),
    });
    steps.push(step);
    tell(step, card);
  }
  const practice = venue.sandboxId !== undefined;
  return { card, environment, practice, passed: hasPassed(steps), steps, market: context.markets[0] };
}
