/** What every store keeps of the tokens for HTTP: each by its digest, until it is revoked, and in the log. */
import { expect, it } from "vitest";
import { digestOf } from "../../src/config/index.ts";
import { type AccessToken, TOKENS_MAX } from "../../src/store/index.ts";
import { unwrap } from "../fixture/result.ts";
import type { Place } from "./store-suite.ts";

const HOUR = 3_600_000;

function token(name: string, more: Partial<AccessToken> = {}): AccessToken {
  return { name, digest: digestOf(`hoga_${name}`), scopes: ["market:read"], createdAtMs: 5, ...more };
}

export function tokenCases({ store, database }: Place): void {
  async function logged(): Promise<readonly unknown[]> {
    const rows = await unwrap(store().audit.recent({ limit: 10 }));
    return rows.map(({ event, detail, atMs }) => ({ event, detail, atMs })).reverse();
  }

  it("a token is found by its digest in every process, and is in the log without it", async () => {
    const made = token("laptop", { scopes: ["market:read", "trade:write"], expiresAtMs: 86_400_000 });
    expect(await unwrap(store().tokens.create(made))).toBe("created");
    const other = await database().open();
    expect(await unwrap(other.tokens.find(made.digest))).toEqual(made);
    expect(await unwrap(other.tokens.find(digestOf("hoga_other")))).toBeUndefined();
    other.close();
    const detail = { name: "laptop", scopes: "market:read trade:write", expires: "1970-01-02T00:00:00.000Z" };
    expect(await logged()).toEqual([{ event: "token_created", atMs: 5, detail }]);
  });

  it("a name is one token's until that is revoked; the name is then free, and the log says both", async () => {
    await unwrap(store().tokens.create(token("laptop")));
    expect(await unwrap(store().tokens.create(token("laptop", { digest: digestOf("hoga_second") })))).toBe("taken");
    expect(await unwrap(store().tokens.find(digestOf("hoga_second")))).toBeUndefined();
    expect(await unwrap(store().tokens.revoke("laptop", 6))).toBe(true);
    expect(await unwrap(store().tokens.revoke("laptop", 7))).toBe(false);
    expect(await unwrap(store().tokens.find(token("laptop").digest))).toBeUndefined();
    expect(await unwrap(store().tokens.create(token("laptop")))).toBe("created");
    expect((await logged()).map((row) => (row as { event: string }).event)).toEqual([
      "token_created",
      "token_revoked",
      "token_created",
    ]);
  });

  it("being used is noted to the hour", async () => {
    await unwrap(store().tokens.create(token("laptop")));
    const used = async (): Promise<AccessToken> => {
      const [only] = await unwrap(store().tokens.list());
      return only as AccessToken;
    };
    expect((await used()).usedAtMs).toBeUndefined();
    for (const [atMs, hour] of [
      [HOUR + 1, HOUR],
      [2 * HOUR - 1, HOUR],
      [2 * HOUR, 2 * HOUR],
    ] as const) {
      await unwrap(store().tokens.used(await used(), atMs));
      expect((await used()).usedAtMs).toBe(hour);
    }
  });

  it("there is a limit, and all can be revoked at once", async () => {
    for (let n = 0; n < TOKENS_MAX; n++) await unwrap(store().tokens.create(token(`t${n}`)));
    expect(await unwrap(store().tokens.create(token("more")))).toBe("too_many");
    expect(await unwrap(store().tokens.revokeAll(9, "why"))).toBe(TOKENS_MAX);
    expect(await unwrap(store().tokens.list())).toEqual([]);
    expect((await logged()).at(-1)).toMatchObject({ event: "token_revoked", detail: { why: "why" } });
  });
}
