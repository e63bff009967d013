/**
 * Why a sandbox could not start, in words for the person who started it. Entry points: `SandboxStartError`, `systemCode`.
 */

export type SandboxStartErrorCode =
  | "bad_option"
  | "host_not_loopback"
  | "host_unavailable"
  | "port_in_use"
  | "port_denied"
  | "dir_unusable"
  | "dir_in_use"
  | "key_file_unreadable"
  | "admin_token_unusable"
  | "journal_unreadable";

/** `message` says what is wrong, `fix` what to do about it; both are safe to be shown. */
export class SandboxStartError extends Error {
  readonly code: SandboxStartErrorCode;
  readonly fix: string;

  constructor(code: SandboxStartErrorCode, message: string, fix: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SandboxStartError";
    this.code = code;
    this.fix = fix;
  }
}

/** The operating system's code of an error, such as `EADDRINUSE`. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : undefined;
}
