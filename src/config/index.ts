/** Settings, profiles and secrets. */
export { ConfigError } from "./config-error.ts";
export { type Environment, type Home, homeOf, makeDir, prepareHome } from "./home.ts";
export { loadProfile, MODULES, type Profile } from "./profile.ts";
export { Secret } from "./secret.ts";
export { checkLogLevel } from "./variable.ts";
