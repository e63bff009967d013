/** Owns why serving, or connecting, could not start: a code for programs, a sentence and a fix for people. */

export type ServeErrorCode =
  | "host_not_loopback"
  | "bad_certificate"
  | "weak_token"
  | "port_in_use"
  | "port_denied"
  | "host_unavailable"
  | "bad_port"
  | "bad_url"
  | "not_encrypted";

export class ServeError extends Error {
  override readonly name = "ServeError";
  readonly code: ServeErrorCode;
  readonly fix: string;

  constructor(code: ServeErrorCode, message: string, fix: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
    this.fix = fix;
  }
}

/** Tells what the system said when a port could not be opened. */
export function listenError(host: string, port: number, cause: NodeJS.ErrnoException): ServeError {
  if (cause.code === "EADDRINUSE")
    return new ServeError(
      "port_in_use",
      `Port ${port} on ${host} is in use.`,
      "Stop what uses it, or choose another port with --port (0 takes any free one).",
      cause,
    );
  if (cause.code === "EACCES")
    return new ServeError("port_denied", `This user may not open port ${port}.`, "Choose a port above 1023.", cause);
  return new ServeError(
    "host_unavailable",
    `Cannot listen on ${host}:${port} (${cause.code ?? "unknown reason"}).`,
    "Choose an address of this machine, such as 127.0.0.1.",
    cause,
  );
}
