/**
 * How long is waited for the answer to a write. Less than the product waits is for an exchange on this machine: a shorter wait leaves more
 * orders without an answer.
 *
 * Source: settings.md#profiles.
 */
import { z } from "zod";
import { ConfigError } from "../files/config-error.ts";
import { isLoopbackHost } from "./loopback-host.ts";

const MS = { least: 1_000, usual: 15_000, most: 60_000 };

export const timingTable = z.strictObject({ write_timeout_ms: z.int().min(MS.least).max(MS.most).optional() });

interface Timed {
  readonly timing?: z.infer<typeof timingTable> | undefined;
  readonly base_url?: string | undefined;
}

/** @throws ConfigError for a wait that is too short for an exchange elsewhere */
export function timingOf({ timing, base_url: url }: Timed, where: string): { readonly writeTimeoutMs?: number } {
  const ms = timing?.write_timeout_ms;
  if (ms === undefined) return {};
  const isHere = url === undefined || isLoopbackHost(new URL(url).hostname);
  if (ms < MS.usual && !isHere)
    throw new ConfigError(
      `${where} has timing.write_timeout_ms = ${ms}, which is for an exchange on this machine.`,
      `Use ${MS.usual} to ${MS.most}, or leave it out.`,
    );
  return { writeTimeoutMs: ms };
}
