/** The profile of the settings. Loaded only where something is configured, as it brings the schemas of all settings. */
import {
  type Environment,
  type Home,
  loadProfile,
  type Profile,
  policySource,
  type ReaderInForce,
  readerIn,
} from "../../config/index.ts";

interface Configured {
  readonly profile: Profile;
  readonly readOnly: boolean;
  readonly reader: ReaderInForce;
}

/** @throws ConfigError naming the setting and the fix */
export function configuredProfile(home: Home, env: Environment, name: string | undefined): Configured {
  const profile = loadProfile(home, env, name);
  const mode = policySource(home.policy, profile.unit, (given) => given.mode).read();
  return { profile, readOnly: mode.ok && mode.value === "read-only", reader: readerIn(home, env) };
}
