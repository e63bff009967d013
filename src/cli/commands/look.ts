/** Carries what commands have in common: the parts are put together for them and closed, and to those that only look a fault is told in one way. */
import type { Profile } from "../../config/index.ts";
import { type Desk, reportError } from "../../desk/index.ts";
import { type Composition, composeCommand } from "../composition/compose.ts";
import { EXIT, FaultError, faultLines, isBadInput } from "../failure.ts";
import type { Invocation } from "../invocation.ts";

export interface LookOptions {
  readonly profile?: string;
  readonly json?: boolean;
  /** Follows the market on the stream. */
  readonly follows?: boolean;
}

export async function withComposition<T>(
  run: Invocation,
  named: Profile | string | undefined,
  use: (composition: Composition) => Promise<T>,
  follows = false,
): Promise<T> {
  const composition = composeCommand(run, named, follows);
  try {
    return await use(composition);
  } finally {
    await composition.close();
  }
}

/** @param use throws a FaultError for what the desk could not tell */
export async function look(
  run: Invocation,
  { profile, json = false, follows = false }: LookOptions,
  use: (desk: Desk) => Promise<void>,
): Promise<void> {
  const opened = async (composition: Composition): Promise<void> => {
    await composition.open();
    await use(composition.desk).catch((error: unknown) => {
      if (!(error instanceof FaultError)) throw error;
      const fault = error.toFault();
      run.exitCode = isBadInput(fault.code) ? EXIT.usage : EXIT.failed;
      if (json) run.out.printJson({ environment: composition.desk.environment, error: reportError(fault) });
      else run.out.notice(faultLines(fault, run.words).join("\n"));
    });
  };
  await withComposition(run, profile, opened, follows);
}
