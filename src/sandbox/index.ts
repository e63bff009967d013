/** The embedded exchange: the service of the contract, on this machine, with nothing to sign up for. */
export type { SandboxLimits } from "./service/service.ts";
export { type Sandbox, type SandboxOptions, startSandbox } from "./start.ts";
export { SandboxStartError, type SandboxStartErrorCode } from "./start-error.ts";
