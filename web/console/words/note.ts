/** What the page tells of something that was done, and of a fault in a report of the desk's. */
import type { PageWords } from "./page-words.ts";

/** What is told, and how it is marked: done, to be heeded, gone wrong, or only said. */
export interface Note {
  readonly tone: "good" | "warn" | "bad" | "plain";
  readonly title: string;
  /** Which order it is about. */
  readonly about?: string;
  readonly lines: readonly string[];
}

interface Fault {
  readonly code: string;
  readonly message: string;
}

/** A fault in a report of the desk's, which says it in English. */
export function faultText({ code, message }: Fault, { say, shared }: PageWords): string {
  if (shared.locale === "en") return message;
  const { meaning } = shared.korean(code, message);
  return /^E\w+:/.test(code) ? `${meaning} ${say("failure.detail", { detail: message })}` : message;
}
