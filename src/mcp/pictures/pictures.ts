/**
 * Owns the line before the thread that draws. Entry point: `Pictures`, one for a process.
 *
 * Invariants: one picture is drawn at a time; a caller has at most one that is drawn and two that wait, and is told when to come again
 * with one more, before anything is read for it; callers take turns; what nobody waits for any more is not drawn; one that was drawn is
 * kept for a second, and is the answer to whoever wants exactly the same.
 *
 * Source: decision 0071.
 */
import { type Drawing, PictureError } from "./drawing.ts";
import type { PictureRequest } from "./picture-request.ts";

/** Bounds the pictures of one caller: one that is drawn, and two that wait. */
export const PLACES = 3;
/** Bounds those of all callers. */
const WAITING_MAX = 64;
/** Pictures say their time to the second. */
const KEPT_MS = 1_000;
const KEPT_MAX = 32;
/** Guesses what one takes, until one was drawn. */
const EXPECTED_MS = 500;
const RETRY_MIN_MS = 250;

const CLOSED = "the server stops";

export interface Painter {
  /** Draws one at a time. Rejects with why there is no picture. */
  draw(request: PictureRequest): Promise<Drawing>;
  close(): void;
}

/** A place in the line, taken before what is to be drawn is read. */
export interface PicturePlace {
  /** Rejects with why there is no picture. @param signal fires when nobody waits for it any more */
  draw(request: PictureRequest, signal: AbortSignal): Promise<Drawing>;
  /** To be called in the end, whatever came of it. */
  leave(): void;
}

interface Job {
  readonly request: PictureRequest;
  /** Come from all who wait for it. */
  readonly signals: readonly AbortSignal[];
  readonly resolve: (drawing: Drawing) => void;
  readonly reject: (why: unknown) => void;
}

interface Kept {
  readonly drawing: Promise<Drawing>;
  readonly signals: AbortSignal[];
  /** Set once it is drawn. */
  untilMs: number;
}

export class Pictures {
  readonly #open: () => Painter | Promise<Painter>;
  readonly #now: () => number;
  readonly #places = new Map<string, number>();
  /** Holds what waits, by caller; whose turn is next comes first. */
  readonly #waiting = new Map<string, Job[]>();
  readonly #kept = new Map<string, Kept>();
  #painter: Promise<Painter> | undefined;
  #isDrawing = false;
  #isClosed = false;
  #tookMs = EXPECTED_MS;

  /**
   * @param open loads what draws, when the first picture is wanted
   * @param now milliseconds that only rise
   */
  constructor(open: () => Painter | Promise<Painter> = openThread, now: () => number = () => performance.now()) {
    this.#open = open;
    this.#now = now;
  }

  /** @param caller has a share of its own */
  enter(caller: string): PicturePlace | { readonly retryAfterMs: number } {
    const taken = this.#places.get(caller) ?? 0;
    if (taken >= PLACES || this.#taken() >= WAITING_MAX) return { retryAfterMs: this.#retryAfterMs() };
    this.#places.set(caller, taken + 1);
    let isLeft = false;
    return {
      draw: (request, signal) => this.#drawn(caller, request, signal),
      leave: () => {
        if (isLeft) return;
        isLeft = true;
        const left = (this.#places.get(caller) ?? 1) - 1;
        if (left === 0) this.#places.delete(caller);
        else this.#places.set(caller, left);
      },
    };
  }

  close(): void {
    this.#isClosed = true;
    for (const { reject } of [...this.#waiting.values()].flat()) reject(new PictureError(CLOSED));
    this.#waiting.clear();
    void this.#painter?.then((painter) => painter.close()).catch(() => undefined);
  }

  async #drawn(caller: string, request: PictureRequest, signal: AbortSignal): Promise<Drawing> {
    if (this.#isClosed) throw new PictureError(CLOSED);
    const key = JSON.stringify(request);
    this.#forget();
    const kept = this.#kept.get(key) ?? this.#begin(caller, key, request);
    kept.signals.push(signal);
    void this.#next();
    return kept.drawing;
  }

  #begin(caller: string, key: string, request: PictureRequest): Kept {
    const signals: AbortSignal[] = [];
    const drawing = new Promise<Drawing>((resolve, reject) => {
      this.#waiting.set(caller, [...(this.#waiting.get(caller) ?? []), { request, signals, resolve, reject }]);
    });
    const kept: Kept = { drawing, signals, untilMs: Number.POSITIVE_INFINITY };
    this.#kept.set(key, kept);
    drawing.then(
      () => {
        kept.untilMs = this.#now() + KEPT_MS;
      },
      () => this.#kept.delete(key),
    );
    return kept;
  }

  async #next(): Promise<void> {
    if (this.#isDrawing || this.#isClosed) return;
    const job = this.#take();
    if (job === undefined) return;
    this.#isDrawing = true;
    const begunMs = this.#now();
    let painter: Painter | undefined;
    try {
      this.#painter ??= Promise.resolve(this.#open());
      painter = await this.#painter;
      job.resolve(await painter.draw(job.request));
      this.#tookMs = (this.#tookMs + this.#now() - begunMs) / 2;
    } catch (error) {
      if (painter === undefined) this.#painter = undefined;
      job.reject(error);
    } finally {
      this.#isDrawing = false;
      void this.#next();
    }
  }

  /** Takes from the caller whose turn it is, which stands behind the others afterwards. */
  #take(): Job | undefined {
    for (const [caller, [job, ...others]] of this.#waiting) {
      this.#waiting.delete(caller);
      if (others.length > 0) this.#waiting.set(caller, others);
      if (job === undefined) continue;
      if (!job.signals.every(({ aborted }) => aborted)) return job;
      job.reject(new PictureError("nobody waits for it"));
    }
    return undefined;
  }

  #forget(): void {
    const nowMs = this.#now();
    for (const [key, { untilMs }] of this.#kept)
      if (untilMs <= nowMs || (this.#kept.size > KEPT_MAX && Number.isFinite(untilMs))) this.#kept.delete(key);
  }

  #taken(): number {
    return [...this.#places.values()].reduce((sum, count) => sum + count, 0);
  }

  /** When those before it are drawn. */
  #retryAfterMs(): number {
    const ahead = Math.max(1, [...this.#waiting.values()].flat().length);
    return Math.max(RETRY_MIN_MS, Math.ceil(ahead * this.#tookMs));
  }
}

async function openThread(): Promise<Painter> {
  const { PictureThread } = await import("./picture-thread.ts");
  return new PictureThread();
}
