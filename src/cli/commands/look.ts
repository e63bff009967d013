/** Carries what commands that only look have in common: the desk is opened for them and closed, and a fault of it is told in one way. */
import { type Desk, reportError } from "../../desk/index.ts";
import { composeCommand } from "../composition/compose.ts";
import { EXIT, FaultError, faultLines, isBadInput } from "../failure.ts";
import type { Invocation } from "../invocation.ts";

export interface LookOptions {
  readonly profile?: string;
  readonly json?: boolean;
  /** Follows the market on the stream. */
  readonly follows?: boolean;
}

/** @param use throws a FaultError for what the desk could not tell */
export async function look(
  run: Invocation,
  { profile, json = false, follows = false }: LookOptions,
  use: (desk: Desk) => Promise<void>,
): Promise<void> {
  const composition = composeCommand(run, profile, follows);
  try {
    await composition.open();
    await use(composition.desk).catch((error: unknown) => {
      if (!(error instanceof FaultError)) throw error;
      const fault = error.toFault();
      run.exitCode = isBadInput(fault.code) ? EXIT.usage : EXIT.failed;
      if (json) run.out.printJson({ environment: composition.desk.environment, error: reportError(fault) });
      else run.out.notice(faultLines(fault, run.words).join("\n"));
    });
  } finally {
    await composition.close();
  }
}
