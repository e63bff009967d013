/** The sandbox: an exchange that implements the service of the contract, in this process and on this machine. */
export { KRW_MARKETS as PAPER_MARKETS } from "./engine/index.ts";
export { VENUE_NAMES, type VenueName, variantsOf, venueAccess } from "./families.ts";
export type { SandboxLimits } from "./service/service.ts";
export { type Sandbox, type SandboxOptions, startSandbox } from "./start.ts";
export { SandboxStartError, type SandboxStartErrorCode } from "./start-error.ts";
