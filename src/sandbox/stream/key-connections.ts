/** Which connections use which key: a key has a number of seats, a connection sits on one key's. */
export class KeyConnections<Connection extends object> {
  readonly #perKey: number;
  readonly #seated = new Map<string, Set<Connection>>();
  readonly #keyOf = new Map<Connection, string>();

  constructor(perKey: number) {
    this.#perKey = perKey;
  }

  /** @returns false when the key has no seat left, or the connection sits on another key's. */
  take(keyId: string, connection: Connection): boolean {
    const held = this.#keyOf.get(connection);
    if (held !== undefined) return held === keyId;
    const seated = this.#seated.get(keyId) ?? new Set<Connection>();
    if (seated.size >= this.#perKey) return false;
    seated.add(connection);
    this.#seated.set(keyId, seated);
    this.#keyOf.set(connection, keyId);
    return true;
  }

  /** As they are now: whoever is among them may leave meanwhile. */
  of(keyId: string): readonly Connection[] {
    return [...(this.#seated.get(keyId) ?? [])];
  }

  leave(connection: Connection): void {
    const keyId = this.#keyOf.get(connection);
    if (keyId === undefined) return;
    this.#keyOf.delete(connection);
    const seated = this.#seated.get(keyId);
    seated?.delete(connection);
    if (seated?.size === 0) this.#seated.delete(keyId);
  }
}
