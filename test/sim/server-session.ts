/** The sessions that one process has with the modelled server: a pool of them, as `pg` keeps it, and the way there and back. */
import type { Answered, Asked, Session, SessionPool } from "../../src/store/sql/server-connection.ts";
import type { SimProcess } from "./process.ts";
import { type Backend, type ModelServer, WAY_MS } from "./server.ts";

const MOST = 5;

export class SessionsOfProcess implements SessionPool {
  readonly ending = false;
  readonly #server: ModelServer;
  readonly #process: SimProcess;
  readonly #seat: number;
  readonly #all = new Set<ModelSession>();
  #idle: ModelSession[] = [];
  #waiting: (() => void)[] = [];
  #opening = 0;

  constructor(server: ModelServer, process: SimProcess, seat: number) {
    this.#server = server;
    this.#process = process;
    this.#seat = seat;
    // What it has sent arrives; then the server notices.
    process.onEnd(() => server.time.after(WAY_MS, () => this.#endAll()));
  }

  get waitingCount(): number {
    return this.#waiting.length;
  }

  async connect(): Promise<Session> {
    for (;;) {
      const idle = this.#idle.pop();
      if (idle?.isOpen === true) return idle;
      if (idle !== undefined) this.#all.delete(idle);
      else if (this.#all.size + this.#opening < MOST) return this.#open();
      else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
  }

  end(): Promise<void> {
    this.#endAll();
    return Promise.resolve();
  }

  #endAll(): void {
    for (const session of this.#all) session.end();
  }

  async #open(): Promise<Session> {
    this.#opening += 1;
    try {
      const backend = await new Promise<Backend>((resolve, reject) => {
        this.#server.later(() => {
          try {
            const opened = this.#server.open();
            this.#server.later(() => resolve(opened));
          } catch (error) {
            this.#server.later(() => reject(error as Error));
          }
        });
      });
      const session = new ModelSession(
        this.#server,
        { process: this.#process, seat: this.#seat, backend },
        (isOver) => {
          if (isOver) this.#all.delete(session);
          else this.#idle.push(session);
          this.#waiting.shift()?.();
        },
      );
      this.#all.add(session);
      if (!this.#process.alive) session.end();
      return session;
    } finally {
      this.#opening -= 1;
      this.#waiting.shift()?.();
    }
  }
}

interface Ends {
  readonly process: SimProcess;
  readonly seat: number;
  readonly backend: Backend;
}

class ModelSession implements Session {
  readonly #server: ModelServer;
  readonly #ends: Ends;
  readonly #released: (isOver: boolean) => void;
  /** As far as the process knows. */
  #isBroken = false;
  /** Nothing gets there any more. */
  #isCut = false;
  /** Resolves once the server has all that was asked before: what is asked behind it gets there behind it. */
  #before: Promise<void> = Promise.resolve();

  constructor(server: ModelServer, ends: Ends, released: (isOver: boolean) => void) {
    this.#server = server;
    this.#ends = ends;
    this.#released = released;
  }

  get isOpen(): boolean {
    return !this.#isBroken && this.#ends.backend.ended === undefined;
  }

  end(): void {
    this.#server.end(this.#ends.backend, new Error("Connection terminated"));
  }

  release(isOver: boolean): void {
    if (isOver) this.#server.later(() => this.end());
    this.#released(isOver || this.#isBroken);
  }

  query(asked: Asked): Promise<Answered> {
    const at = asked.text === "COMMIT" ? "commit" : "statement";
    const before = this.#before;
    let executed = (): void => undefined;
    this.#before = new Promise((resolve) => {
      executed = resolve;
    });
    return this.#ends.process.step(at, () => this.#answered({ asked, at, before, executed }));
  }

  async #answered(sending: Sending): Promise<Answered> {
    if (this.#isBroken) throw new Error("Client has encountered a connection error and is not queryable");
    const inTime = new AbortController();
    const { query_timeout } = sending.asked;
    const late = this.#ends.process.clock.sleep(query_timeout, inTime.signal).then(() => "late" as const);
    const answer = await Promise.race([this.#sent(sending), late]).finally(() => inTime.abort());
    if (answer === "late") throw new Error("Query read timeout");
    if (answer instanceof Error) throw answer;
    return answer;
  }

  /** What has left together gets there together: where one is lost on its way, all behind it are; where an answer is, the others are carried out. */
  #sent({ asked, at, before, executed }: Sending): Promise<Answered | Error> {
    const { backend, seat } = this.#ends;
    const cut = this.#server.cutOf(seat, at);
    return new Promise((resolve) => {
      const broken = (): void => {
        this.#isBroken = true;
        this.#server.time.after(cut?.noticedMs ?? 0, () => this.end());
        resolve(GONE());
      };
      const arrived = (): void => {
        if (cut?.when === "before") this.#isCut = true;
        if (!this.#isCut) {
          this.#server.execute(backend, asked, (answer) => {
            executed();
            if (cut?.when === "after") broken();
            else this.#server.later(() => resolve(this.#isBroken ? GONE() : answer));
          });
          return;
        }
        executed();
        broken();
      };
      this.#server.later(() => void before.then(arrived));
    });
  }
}

const GONE = (): Error => new Error("Connection terminated unexpectedly");

interface Sending {
  readonly asked: Asked;
  readonly at: "commit" | "statement";
  /** Resolves once what was asked before was carried out. */
  readonly before: Promise<void>;
  readonly executed: () => void;
}
