/**
 * Owns which connections are open, and which one gives way when there are as many as may be.
 *
 * Invariants: there are never so many that the process has no descriptor left for its store and its exchange; who was let in is not cut off
 * for somebody who was not, nor anybody in the middle of a request that was; of those that were not let in, the address that
 * holds most of them loses one, so that a flood from one place displaces itself.
 *
 * Source: decision 0041.
 */
import { readFileSync } from "node:fs";
import type { Socket } from "node:net";

/** More connections than this are of no use: what one caller may have open is bounded too. */
const CONNECTIONS_MAX = 1_024;
/** Descriptors for what else the process opens: the store, the exchange, the embedded exchange with its clients, its own files. */
const RESERVED = 192;
const CONNECTIONS_MIN = 16;
/** Share of the connections that always give way to a newcomer, which may be one that halts. */
const KEPT = 1 / 16;

/** Tells how many connections there may be, by how many files the process may have open. */
export function connectionsMax(filesMax: number = openFilesMax()): number {
  return Math.max(CONNECTIONS_MIN, Math.min(CONNECTIONS_MAX, filesMax - RESERVED));
}

/** @returns Infinity where there is no limit, or none that can be read: Node has raised it as far as it goes */
function openFilesMax(): number {
  try {
    const [, soft = ""] = /^Max open files +(\d+)/m.exec(readFileSync("/proc/self/limits", "utf8")) ?? [];
    return soft === "" ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

interface Line {
  readonly name: string;
  readonly socket: Pick<Socket, "destroy">;
  readonly address: string;
  /** Requests on it that were let in and have not ended. */
  open: number;
}

/** Name a connection, also where TLS is spoken on it, which Node shows as another socket. */
type Ends = Pick<Socket, "remoteAddress" | "remotePort">;

export class Connections {
  readonly #max: number;
  readonly #onDropped: () => void;
  readonly #lines = new Map<string, Line>();
  /** On which nobody was let in yet, oldest first, by address. */
  readonly #strangers = new Map<string, Set<Line>>();
  /** On which somebody was, and nothing goes on; unused for longest first. */
  readonly #idle = new Set<Line>();

  /** @param onDropped told of each connection that gave way, or was refused */
  constructor(max: number, onDropped: () => void) {
    this.#max = max;
    this.#onDropped = onDropped;
  }

  /** Takes one that has come. */
  take(socket: Socket): void {
    const { remoteAddress: address } = socket;
    if (address === undefined || !this.#isRoom()) {
      // Gone already, or one too many.
      socket.destroy();
      return;
    }
    const name = nameOf(socket);
    const line = { name, socket, address, open: 0 };
    this.#lines.set(name, line);
    const others = this.#strangers.get(address) ?? new Set();
    this.#strangers.set(address, others.add(line));
    socket.once("close", () => this.#leave(line));
  }

  /**
   * A request on it was let in.
   * @param ended resolves when it has ended
   * @returns whether there is room for what is not urgent: where nearly all connections have something under way, one more is to give way
   */
  letIn(socket: Ends, ended: Promise<void>): boolean {
    const line = this.#lines.get(nameOf(socket));
    if (line === undefined) return true;
    const hasRoom = line.open > 0 || this.#busy() < this.#max - Math.floor(this.#max * KEPT);
    this.#forget(line);
    line.open += 1;
    void ended.then(() => {
      line.open -= 1;
      if (line.open === 0 && this.#lines.get(line.name) === line) this.#idle.add(line);
    });
    return hasRoom;
  }

  #busy(): number {
    const strangers = [...this.#strangers.values()].reduce((sum, { size }) => sum + size, 0);
    return this.#lines.size - strangers - this.#idle.size;
  }

  /** Makes it, where one may give way. */
  #isRoom(): boolean {
    if (this.#lines.size < this.#max) return true;
    this.#onDropped();
    const [least] = this.#mostStrangers() ?? this.#idle;
    if (least === undefined) return false;
    this.#leave(least);
    least.socket.destroy();
    return true;
  }

  #mostStrangers(): ReadonlySet<Line> | undefined {
    let most: ReadonlySet<Line> | undefined;
    for (const lines of this.#strangers.values()) if (lines.size > (most?.size ?? 0)) most = lines;
    return most;
  }

  #leave(line: Line): void {
    // Its name may be another's by now.
    if (this.#lines.get(line.name) === line) this.#lines.delete(line.name);
    this.#forget(line);
  }

  #forget(line: Line): void {
    this.#idle.delete(line);
    const others = this.#strangers.get(line.address);
    others?.delete(line);
    if (others?.size === 0) this.#strangers.delete(line.address);
  }
}

function nameOf({ remoteAddress, remotePort }: Ends): string {
  return `${remoteAddress} ${remotePort}`;
}
