/** Owns the words for what the system refuses: a person can put it right, and it is no defect of ours. */
import { quoted } from "../contract/index.ts";
import type { Words } from "../words/index.ts";

/** Says what happened and what to do next, to whoever reads. */
export type Saying = (words: Words) => readonly [message: string, fix: string];

const PATH_MAX = 200;

export function systemSaying(error: unknown): Saying | undefined {
  if (!isOfSystem(error)) return undefined;
  const { code, syscall, path, address, port } = error;
  const place = address === undefined ? path : `${address}${port === undefined ? "" : `:${port}`}`;
  const where = place === undefined ? syscall : quoted(place, PATH_MAX);
  return ({ say }) => {
    const next = say("system.next");
    if (code === "EACCES" || code === "EPERM") return [say("system.denied", { where, code }), next];
    if (code === "EEXIST" || code === "EISDIR" || code === "ENOTDIR")
      return [say("system.in_the_way", { where, code }), next];
    return [say("system.other", { where, code }), next];
  };
}

interface SystemError extends Error {
  readonly code: string;
  readonly syscall: string;
  readonly path?: string;
  readonly address?: string;
  readonly port?: number;
}

function isOfSystem(error: unknown): error is SystemError {
  if (!(error instanceof Error) || "fix" in error) return false;
  const { code, syscall } = error as NodeJS.ErrnoException;
  return typeof syscall === "string" && typeof code === "string" && /^E[A-Z0-9]+$/.test(code);
}
