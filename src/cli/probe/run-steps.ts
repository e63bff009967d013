/** Runs the steps of a probe one after the other, and notes of each what was asked, what came of it and how long it took. */
import type { ClientEvent } from "../../transport/index.ts";
import { wordsFor } from "../../words/index.ts";
import { AnswerFields, type FieldNews } from "./answer-fields.ts";
import { type ProbeSay, probeSay } from "./probe-words.ts";
import type { Finding, StepResult } from "./read-steps.ts";

export interface StepReport {
  readonly step: string;
  readonly result: StepResult;
  readonly required: boolean;
  readonly ms: number;
  /** Calls of the exchange, with the status of each answer. */
  readonly asked: readonly string[];
  /** In English. */
  readonly note: string;
  readonly code?: string;
  readonly unread_fields?: readonly string[];
  readonly missing_fields?: readonly string[];
}

/** A step as it was, with what is said of it to whoever reads. */
export interface EndedStep {
  readonly report: StepReport;
  readonly finding: Finding;
}

const CALLS_MAX = 20;
const english: ProbeSay = probeSay(wordsFor());

/** Hears what the client asks, and compares what it is answered. */
export class Listening {
  readonly fields = new AnswerFields();
  #calls = new Map<string, number>();

  readonly onEvent = (event: ClientEvent): void => {
    if (event.type !== "request_ended") return;
    const name = `${event.endpoint} ${event.status ?? event.code ?? ""}`.trim();
    this.#calls.set(name, (this.#calls.get(name) ?? 0) + 1);
  };

  take(): { readonly asked: readonly string[]; readonly news: FieldNews | undefined } {
    const asked = [...this.#calls].map(([name, count]) => (count === 1 ? name : `${name} ×${count}`));
    this.#calls = new Map();
    return { asked: asked.slice(0, CALLS_MAX), news: this.fields.take() };
  }
}

/** @param steady milliseconds since some moment */
export async function ended(
  step: string,
  required: boolean,
  run: () => Promise<Finding>,
  { listening, steady }: { readonly listening: Listening; readonly steady: () => number },
): Promise<EndedStep> {
  const begunMs = steady();
  const finding = await run();
  const ms = Math.round(finding.ms ?? steady() - begunMs);
  const { asked, news } = listening.take();
  return {
    finding,
    report: {
      ...{ step, result: finding.result, required, ms, asked, note: finding.kept ?? finding.note(english) },
      ...(finding.fault === undefined ? {} : { code: finding.fault.code }),
      ...(news === undefined ? {} : { unread_fields: news.unread, missing_fields: news.missing }),
    },
  };
}

export function hasPassed(steps: readonly EndedStep[]): boolean {
  return steps.every(({ report: { required, result } }) => !required || result !== "failed");
}
