/**
 * Opens the sandbox's ports. Entry points: `listen`, `isLoopback`, `urlOf`.
 */
import type { AddressInfo } from "node:net";
import type { ApiServer } from "./http/server.ts";
import { SandboxStartError, systemCode } from "./start-error.ts";

export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d{1,3}){3}$/.test(host);
}

/** @throws SandboxStartError with what is wrong and how to fix it. */
export function listen({ server }: ApiServer, host: string, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once("error", (error) => reject(listenError(host, port, error)));
    server.listen(port, host, () => {
      const address = server.address();
      if (typeof address === "object" && address !== null) resolve(address);
      else reject(listenError(host, port, undefined));
    });
  });
}

function listenError(host: string, port: number, cause: unknown): SandboxStartError {
  const place = `${host}:${port}`;
  const system = systemCode(cause);
  if (system === "EADDRINUSE") {
    const fix = "stop what uses it, or choose another port (0 takes any free one)";
    return new SandboxStartError("port_in_use", `port ${port} on ${host} is in use`, fix, cause);
  }
  if (system === "EACCES") {
    const message = `this user may not listen on ${place}`;
    return new SandboxStartError("port_denied", message, "choose a port above 1023", cause);
  }
  const message = `the sandbox cannot listen on ${place} (${system ?? "unknown reason"})`;
  return new SandboxStartError(
    "host_unavailable",
    message,
    "choose an address of this machine, such as 127.0.0.1",
    cause,
  );
}

/** Has no path: `http://127.0.0.1:8420`. */
export function urlOf({ family, address, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
