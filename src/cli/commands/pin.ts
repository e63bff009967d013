/** `hoga pin`: a person sets or changes the PIN that approves orders and resumes trading. */
import { composeCommand, type DeskStore } from "../composition/compose.ts";
import { UsageError, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { type Ask, atTerminal, requireRight } from "./pin-prompt.ts";

export async function pin(options: { readonly profile?: string }, run: Invocation): Promise<void> {
  await atTerminal(run.io, "Setting the PIN", async (ask) => {
    const composition = composeCommand(run, options.profile);
    try {
      const { pin: pins, audit } = await composition.store();
      await choose(pins, ask, run);
      unwrap(await audit.append({ event: "pin_set", account: "", detail: {} }, Date.now()));
    } finally {
      await composition.close();
    }
  });
}

async function choose(pins: DeskStore["pin"], ask: Ask, run: Invocation): Promise<void> {
  const current = (await pins.isSet()) ? await ask("Current PIN") : undefined;
  const chosen = await ask("New PIN (6 to 64 characters)");
  if ((await ask("New PIN again")) !== chosen)
    throw new UsageError("The two are not the same.", "Nothing was changed; start again.");
  const set = await pins.set(chosen, Date.now(), current);
  if (set !== "set") return requireRight(set);
  run.out.print("The PIN is set. It approves orders (hoga approve) and resumes trading (hoga resume).");
}
