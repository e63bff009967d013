/** Settings, profiles and secrets: what other folders may import of them. */

export { ConfigError } from "./files/config-error.ts";
export { checkLogLevel, settingsIn } from "./files/environment.ts";
export { type Environment, type Home, homeOf, makeDir, prepareHome, tenantHome, withHome } from "./files/home.ts";
export { readOwnFile } from "./files/own-file.ts";
export { type ReaderInForce, readerOf } from "./files/reader.ts";
export { isTenantName, type Tenant } from "./files/tenant.ts";
export { digestOf, isAccessToken, newAccessToken, TOKENLESS } from "./keys/access-token.ts";
export { clientToken } from "./keys/client-token.ts";
export { givenCredentials } from "./keys/credentials.ts";
export { httpToken } from "./keys/http-token.ts";
export { MasterKeys } from "./keys/master-key.ts";
export { sealKey, unsealKey } from "./keys/sealed-key.ts";
export { collectorIn } from "./profile/collector.ts";
export type { HttpInForce, NotifyInForce } from "./profile/http-settings.ts";
export { isUnconfigured, MODULES, PAPER } from "./profile/paper-profile.ts";
export { type PolicySource, policySource } from "./profile/policy-file.ts";
export {
  hasDrafts,
  httpIn,
  loadProfile,
  masterKeysIn,
  notifyIn,
  type Profile,
  profilesIn,
  readerIn,
} from "./profile/profile.ts";
export { readStoreMark, type StoreMark, writeStoreMark } from "./profile/store-mark.ts";
export { StoreUrl } from "./profile/store-url.ts";
export type { Credentials } from "./secrets/read-credentials.ts";
export { Scrubber, scrubber, withOwnScrubber } from "./secrets/scrubber.ts";
export { Secret } from "./secrets/secret.ts";
