/** Reads what the settings say of a server, at the start and without the desk, so that a client is answered soon. */
import {
  type Environment,
  type Home,
  homeOf,
  isUnconfigured,
  PAPER,
  type Profile,
  type ReaderInForce,
} from "../../config/index.ts";

export interface ServedProfile {
  readonly home: Home;
  readonly profile: Omit<Profile, "webhookSecrets">;
  /** Holds where the policy forbids every write: tools that write are then not offered. */
  readonly readOnly: boolean;
  /** Absent where the environment alone says who reads. */
  readonly reader?: ReaderInForce;
}

/** Rejects with a ConfigError that names the setting and the fix. */
export async function servedProfile(env: Environment, name: string | undefined): Promise<ServedProfile> {
  const home = homeOf(env);
  if (name === undefined && isUnconfigured(home, env)) return { home, profile: PAPER, readOnly: false };
  const { configuredProfile } = await import("./configured-profile.ts");
  return { home, ...configuredProfile(home, env, name) };
}
