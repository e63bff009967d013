/** The door `hoga/exchange`: the exchange itself, in memory or in a directory. */
export {
  type Sandbox,
  type SandboxOptions,
  SandboxStartError,
  type SandboxStartErrorCode,
  startSandbox,
} from "../sandbox/index.ts";
