/** What a conversation with a model is, whichever API it goes over. Entry point: `post`, for a request of either. */
import { setTimeout as pause } from "node:timers/promises";
import type { Answer, ListedTool } from "../stage.ts";

/** A call that the model wants. */
export interface Wanted {
  readonly id: string;
  readonly name: string;
  /** As it wrote them. */
  readonly args: unknown;
}

export interface Tokens {
  readonly read: number;
  readonly written: number;
}

export interface Turn {
  readonly said: string;
  readonly wanted: readonly Wanted[];
  readonly tokens: Tokens;
}

export interface Given {
  readonly wanted: Wanted;
  readonly answer: Answer;
}

export interface Conversation {
  next(): Promise<Turn>;
  person(words: string): void;
  answers(given: readonly Given[]): void;
}

export interface Opening {
  readonly model: string;
  readonly baseUrl: string;
  readonly key: string;
  readonly system: string;
  readonly tools: readonly ListedTool[];
}

const ANSWER_MS = 120_000;
const TRIES = 4;
const WAIT_MS = 2_000;
const LONGEST_WAIT_S = 60;

/**
 * Asks the model's service, and once more where it is busy: nothing is done by asking.
 * @throws without a word of what was answered, as that could repeat the key
 */
export async function post(url: string, headers: Readonly<Record<string, string>>, body: object): Promise<unknown> {
  for (let left = TRIES - 1; ; left--) {
    const answer = await fetch(url, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await answer.text();
    if (answer.ok) return json(text);
    const isBusy = answer.status === 429 || answer.status > 500;
    if (!isBusy || left === 0) throw new Error(`the model's service answered ${answer.status}`);
    const asked = Number(answer.headers.get("retry-after") ?? "");
    await pause(asked > 0 ? Math.min(asked, LONGEST_WAIT_S) * 1_000 : WAIT_MS);
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("the model's service answered what is no JSON");
  }
}
