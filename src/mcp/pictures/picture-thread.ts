/**
 * Owns the thread that draws: begun by the first picture, ended when none was asked for in a while, and replaced where it broke or hangs.
 *
 * Invariants: it never keeps a process from ending; whatever becomes of it, what was asked of it ends in time, as a drawing or an error.
 *
 * Source: decision 0071.
 */
import { Worker } from "node:worker_threads";
import { type Drawing, PictureError } from "./drawing.ts";
import type { PictureRequest } from "./picture-request.ts";

export type DrawnReply =
  | { readonly ok: true; readonly drawing: Omit<Drawing, "png"> & { readonly png: Uint8Array } }
  | { readonly ok: false; readonly why: string };

/** A picture takes a fifth of a second; the first one loads the library too, on a machine that has other work. */
const LIMIT_MS = 20_000;
/** Then its memory is given back. */
const IDLE_MS = 60_000;
const BREAKS = ["error", "messageerror", "exit"] as const;
const BROKEN = "what draws it broke";
const NOT_LOADED = "this machine cannot load the drawing library";

/** Chunks of a build lie in a folder of `dist`. From source the built thread draws: Node cannot run the sources in a thread. */
function builtThread(): URL {
  const path = import.meta.url.endsWith(".ts") ? "../../../dist/drawing-thread.js" : "../drawing-thread.js";
  return new URL(path, import.meta.url);
}

interface ThreadSettings {
  readonly file: URL;
  readonly limitMs: number;
  readonly idleMs: number;
}

/** Draws one picture at a time. */
export class PictureThread {
  readonly #settings: ThreadSettings;
  #worker: Worker | undefined;
  #hasDrawn = false;
  #idle: NodeJS.Timeout | undefined;
  #stop: (why: string) => void = () => undefined;

  constructor(settings: Partial<ThreadSettings> = {}) {
    this.#settings = { file: builtThread(), limitMs: LIMIT_MS, idleMs: IDLE_MS, ...settings };
  }

  /** Call it again only once this has ended. @throws PictureError with why there is no picture */
  async draw(request: PictureRequest): Promise<Drawing> {
    clearTimeout(this.#idle);
    this.#worker ??= new Worker(this.#settings.file);
    const worker = this.#worker;
    const timer = setTimeout(() => this.#stop("it took too long"), this.#settings.limitMs);
    // Whoever asks waits for it: a command that has nothing else to do is not to end here.
    worker.ref();
    try {
      const reply = await this.#replyOf(worker, request);
      this.#hasDrawn = true;
      if (!reply.ok) throw new PictureError(reply.why);
      return { ...reply.drawing, png: Buffer.from(reply.drawing.png) };
    } finally {
      clearTimeout(timer);
      worker.unref();
      if (this.#worker === worker) this.#idle = setTimeout(() => this.#end(), this.#settings.idleMs).unref();
    }
  }

  close(): void {
    this.#stop("the server stops");
    this.#end();
  }

  #replyOf(worker: Worker, request: PictureRequest): Promise<DrawnReply> {
    const breaks = () => this.#stop(this.#hasDrawn ? BROKEN : NOT_LOADED);
    let replies: (reply: DrawnReply) => void = () => undefined;
    return new Promise<DrawnReply>((resolve, reject) => {
      this.#stop = (why) => {
        this.#end();
        reject(new PictureError(why));
      };
      replies = resolve;
      worker.once("message", replies);
      for (const broken of BREAKS) worker.once(broken, breaks);
      worker.postMessage(request);
    }).finally(() => {
      // Those of this picture alone: without the ones of Node itself no message of the thread arrives any more.
      worker.off("message", replies);
      for (const broken of BREAKS) worker.off(broken, breaks);
    });
  }

  #end(): void {
    clearTimeout(this.#idle);
    const worker = this.#worker;
    this.#worker = undefined;
    this.#hasDrawn = false;
    // What still comes of it is nobody's matter.
    worker?.on("error", () => undefined);
    void worker?.terminate();
  }
}
