/** `hoga pin`: a person sets or changes the PIN that approves orders and resumes trading. */
import type { DeskStore } from "../composition/compose.ts";
import { said, UsageError, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { withComposition } from "./look.ts";
import { type Ask, atTerminal, requireRight } from "./pin-prompt.ts";

export async function pin(options: { readonly profile?: string }, run: Invocation): Promise<void> {
  await atTerminal(run, "pin", (ask) => askForPin(run, options.profile, ask));
}

/** @param onlyFirst leaves one that is set as it is */
export async function askForPin(run: Invocation, profile: string | undefined, ask: Ask, onlyFirst = false) {
  await withComposition(run, profile, async (composition) => {
    const { pin: pins, audit } = await composition.store();
    if (onlyFirst && (await pins.isSet())) return;
    await choose(pins, ask, run);
    unwrap(await audit.append({ event: "pin_set", account: "", detail: {} }, Date.now()));
  });
}

async function choose(pins: DeskStore["pin"], ask: Ask, run: Invocation): Promise<void> {
  const { say } = run.words;
  const current = (await pins.isSet()) ? await ask(say("pin.current")) : undefined;
  const chosen = await ask(say("pin.new"));
  if ((await ask(say("pin.again"))) !== chosen)
    throw new UsageError(...said((words) => [words.say("pin.different"), words.say("pin.start_again")]));
  const set = await pins.set(chosen, Date.now(), current);
  if (set !== "set") return requireRight(set);
  run.out.print(say("pin.set"));
}
