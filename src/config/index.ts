/** Settings, profiles and secrets: what other folders may import of them. */
export { digestOf, isAccessToken, newAccessToken } from "./access-token.ts";
export { clientToken } from "./client-token.ts";
export { ConfigError } from "./config-error.ts";
export type { Credentials } from "./credentials.ts";
export { type Environment, type Home, homeOf, makeDir, prepareHome } from "./home.ts";
export type { HttpInForce } from "./http-settings.ts";
export { httpToken } from "./http-token.ts";
export { isUnconfigured, MODULES, PAPER } from "./paper-profile.ts";
export { type GivenSettings, type PolicySettings, type PolicySource, policySource } from "./policy-file.ts";
export { hasTransfers, httpIn, loadProfile, type Profile, profilesIn, readerIn } from "./profile.ts";
export { type ReaderInForce, readerOf } from "./reader.ts";
export { Scrubber, scrubber, withOwnScrubber } from "./scrubber.ts";
export { Secret } from "./secret.ts";
export { StoreUrl } from "./store-url.ts";
export { checkLogLevel } from "./variable.ts";
