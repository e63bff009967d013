/**
 * Which connections use which key, for the limit of connections per key. Entry point: `KeyConnections`.
 *
 * Invariant: a connection uses one key at most. Source: service.md#stream-limits.
 */
export class KeyConnections<Connection extends object> {
  readonly #perKey: number;
  readonly #connections = new Map<string, Set<Connection>>();
  readonly #keyOf = new Map<Connection, string>();

  constructor(perKey: number) {
    this.#perKey = perKey;
  }

  /** @returns false when the key has its maximum of connections, or the connection uses another key */
  add(keyId: string, connection: Connection): boolean {
    const known = this.#keyOf.get(connection);
    if (known !== undefined) return known === keyId;
    const connections = this.#connections.get(keyId) ?? new Set<Connection>();
    if (connections.size >= this.#perKey) return false;
    connections.add(connection);
    this.#connections.set(keyId, connections);
    this.#keyOf.set(connection, keyId);
    return true;
  }

  /** A copy, as connections may be removed while the caller iterates. */
  of(keyId: string): readonly Connection[] {
    return [...(this.#connections.get(keyId) ?? [])];
  }

  remove(connection: Connection): void {
    const keyId = this.#keyOf.get(connection);
    if (keyId === undefined) return;
    this.#keyOf.delete(connection);
    const connections = this.#connections.get(keyId);
    connections?.delete(connection);
    if (connections?.size === 0) this.#connections.delete(keyId);
  }
}
