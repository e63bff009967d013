/**
 * `hoga passkeys`: which passkeys may say yes, and taking one away. They are enrolled in the console, and belong to the data directory, whatever the profile.
 *
 * Source: commands.md, decision 0045.
 */
import { digestOf } from "../../config/index.ts";
import { NotFoundError, said, unwrap } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { table } from "../text/table.ts";
import { withComposition } from "./look.ts";
import { atTerminal, provePin } from "./pin-prompt.ts";

export interface PasskeyOptions {
  readonly profile?: string;
  readonly json?: boolean;
}

export async function listPasskeys({ profile, json }: PasskeyOptions, run: Invocation): Promise<void> {
  await withComposition(run, profile, async (composition) => {
    const passkeys = unwrap(await (await composition.store()).passkeys.list());
    if (json === true)
      return run.out.printJson({
        passkeys: passkeys.map(({ credentialId, name, rpId, isProven, createdAtMs, usedAtMs }) => ({
          ...{
            id: shortId(credentialId),
            credential_id: credentialId,
            name,
            host: rpId,
            proven: isProven,
            created_at: new Date(createdAtMs).toISOString(),
          },
          last_used_at: usedAtMs === undefined ? null : new Date(usedAtMs).toISOString(),
        })),
      });
    const { say, when } = run.words;
    if (passkeys.length === 0) return run.out.print(say("passkeys.none"));
    const cells = passkeys.map(({ credentialId, name, rpId, isProven, createdAtMs, usedAtMs }) => [
      ...[shortId(credentialId), name, rpId, say(isProven ? "passkeys.all" : "passkeys.practice"), when(createdAtMs)],
      usedAtMs === undefined ? say("passkeys.never") : when(usedAtMs),
    ]);
    const columns = ["id", "name", "host", "counts", "enrolled", "used"] as const;
    run.out.print(
      table(
        columns.map((name) => (name === "id" ? say("column.id") : say(`passkeys.${name}`))),
        cells,
      ),
    );
  });
}

export async function removePasskey(id: string, { profile }: PasskeyOptions, run: Invocation): Promise<void> {
  await atTerminal(run, "passkeys", async (ask) => {
    await withComposition(run, profile, async (composition) => {
      await provePin(run, composition, ask);
      const { passkeys } = await composition.store();
      const named = unwrap(await passkeys.list()).find(({ credentialId }) => shortId(credentialId) === id);
      if (!unwrap(await passkeys.remove(named?.credentialId ?? id, Date.now(), "removed on a terminal")))
        throw new NotFoundError(...said(({ say }) => [say("passkeys.no_such"), say("passkeys.lists")]));
      run.out.print(run.words.say("passkeys.removed"));
    });
  });
}

/** To type: a credential's own id is long, and may begin as an option does. */
function shortId(credentialId: string): string {
  return digestOf(credentialId).slice(0, 12);
}
