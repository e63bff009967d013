import { describe, expect, it } from "vitest";
import { clockBy } from "../../../web/console/state/clock.ts";
import { newestOf } from "../../../web/console/state/newest.ts";
import { createNotes } from "../../../web/console/state/notes.ts";
import { pacedBy } from "../../../web/console/state/paced.ts";
import { keepPreferences, readPreferences } from "../../../web/console/state/preferences.ts";
import { hashOf, routeOf } from "../../../web/console/state/route.ts";
import { takeWanted } from "../../../web/console/state/wanted.ts";

interface Topics {
  readonly book: { readonly seq: number };
  readonly status: string;
}

/** What is due with the next frame. */
function frames() {
  const due: (() => void)[] = [];
  const shown: [keyof Topics, unknown][] = [];
  const newest = newestOf<Topics>(
    (work) => due.push(work),
    (topic, value) => shown.push([topic, value]),
  );
  return { newest, due, shown };
}

describe("the newest of each topic", () => {
  it("is shown once a frame, however many came", () => {
    const { newest, due, shown } = frames();
    for (let seq = 1; seq <= 1_000; seq++) newest.take("book", `{"seq":${seq}}`);
    newest.take("status", '"up"');
    expect(due).toHaveLength(1);
    due[0]?.();
    expect(shown).toEqual([
      ["book", { seq: 1_000 }],
      ["status", "up"],
    ]);
  });

  it("is asked for again after a frame, and nothing is shown twice", () => {
    const { newest, due, shown } = frames();
    newest.take("book", '{"seq":1}');
    due[0]?.();
    due[0]?.();
    newest.take("book", '{"seq":2}');
    expect(due).toHaveLength(2);
    due[1]?.();
    expect(shown.map(([, value]) => value)).toEqual([{ seq: 1 }, { seq: 2 }]);
  });

  it("is left out where it cannot be read, and the others are shown", () => {
    const { newest, due, shown } = frames();
    newest.take("book", '{"seq":');
    newest.take("status", '"up"');
    due[0]?.();
    expect(shown).toEqual([["status", "up"]]);
  });
});

describe("the server's clock", () => {
  it("is believed, and a late message does not set it back", () => {
    let own = Date.parse("2026-11-23T00:00:00.000Z");
    const clock = clockBy(() => own);
    expect(clock.now()).toBe(own);
    clock.heard("2026-11-23T00:01:00.000Z");
    expect(clock.now()).toBe(own + 60_000);
    own += 1_000;
    clock.heard("2026-11-23T00:01:00.500Z");
    expect(clock.now()).toBe(own + 60_000);
    clock.heard("no time");
    expect(clock.now()).toBe(own + 60_000);
  });

  it("is taken as it is where one of the two was set", () => {
    const own = Date.parse("2026-11-23T00:00:00.000Z");
    const clock = clockBy(() => own);
    clock.heard("2026-11-23T01:00:00.000Z");
    clock.heard("2026-11-23T00:00:01.000Z");
    expect(clock.now()).toBe(own + 1_000);
  });
});

describe("the address", () => {
  it.each([
    ["", { view: "trade" }],
    ["#/trade/BTC-KRW", { view: "trade", of: "BTC/KRW" }],
    ["#/orders/01a20906-834a-710a-9dce-e22d1a02f849", { view: "orders", of: "01a20906-834a-710a-9dce-e22d1a02f849" }],
    ["#/orders/hoga-3ab5.x", { view: "orders", of: "hoga-3ab5.x" }],
    ["#/more", { view: "more" }],
    ["#/nowhere", { view: "trade" }],
    ["#/orders/<script>", { view: "trade" }],
  ] as const)("%s leads to a view", (hash, route) => {
    expect(routeOf(hash)).toEqual(route);
  });

  it("leads back to its view", () => {
    for (const route of [{ view: "trade", of: "ETH/KRW" }, { view: "audit" }] as const)
      expect(routeOf(hashOf(route))).toEqual(route);
  });
});

describe("what a browser prefers", () => {
  const shelfOf = (kept: Map<string, string> = new Map()) => ({
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, text: string) => void kept.set(key, text),
  });

  it("is kept", () => {
    const shelf = shelfOf();
    const chosen = { theme: "dark", language: "ko", notify: true } as const;
    keepPreferences(shelf, chosen);
    expect(readPreferences(shelf)).toEqual(chosen);
  });

  it.each(["", "null", '{"theme":"pink","language":7,"notify":"yes"}', "{"])(
    "is the default where %j is kept",
    (text) => {
      expect(readPreferences(shelfOf(new Map([["hoga.preferences", text]])))).toEqual({
        theme: "auto",
        language: "auto",
        notify: false,
      });
    },
  );
});

describe("what is read anew", () => {
  /** Of one that ends when the test says so. */
  function readings(restMs: number) {
    const ends: (() => void)[] = [];
    const paced = pacedBy(restMs, () => new Promise<void>((resolve) => ends.push(resolve)));
    return { paced, ends };
  }
  const moment = (ms = 0) => new Promise((resolve) => setTimeout(resolve, ms));

  it("is read at once, and once more for all that came meanwhile", async () => {
    const { paced, ends } = readings(5);
    for (let time = 0; time < 9; time++) paced.wake();
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await expect.poll(() => ends.length).toBe(2);
    ends[1]?.();
    await moment(20);
    expect(ends).toHaveLength(2);
    paced.wake();
    expect(ends).toHaveLength(3);
  });

  it("is not read any more where nobody looks", async () => {
    const { paced, ends } = readings(1);
    paced.wake();
    paced.wake();
    paced.close();
    ends[0]?.();
    await moment(10);
    paced.wake();
    expect([ends.length, paced.isOpen()]).toEqual([1, false]);
  });
});

describe("what was told", () => {
  it("stays until it is put away, the newest four of it", () => {
    const { kept, tell, putAway } = createNotes();
    for (const title of ["a", "b", "c", "d", "e"]) tell({ tone: "plain", title, lines: [] });
    expect(kept.value.map(({ title }) => title)).toEqual(["e", "d", "c", "b"]);
    putAway(kept.value[1]?.id ?? 0);
    expect(kept.value.map(({ title }) => title)).toEqual(["e", "c", "b"]);
  });
});

describe("what a person was sent to before they had signed in", () => {
  const shelfOf = (text: string | null) => {
    let kept = text;
    return { getItem: () => kept, removeItem: () => (kept = null), left: () => kept };
  };
  const wanted = (hash: unknown, at: unknown) => shelfOf(JSON.stringify({ hash, at }));

  it("is gone to once, and soon", () => {
    const shelf = wanted("#/approvals/01a2-b", 1_000);
    expect(takeWanted(shelf, 600_999)).toBe("#/approvals/01a2-b");
    expect([shelf.left(), takeWanted(shelf, 600_999)]).toEqual([null, undefined]);
    expect(takeWanted(wanted("#/approvals/01a2-b", 1_000), 601_000)).toBeUndefined();
  });

  it("is one of the approvals and nothing else", () => {
    for (const hash of ["#/settings", "#/approvals/", "#/approvals/a/b", "//evil.example", "#/approvals/a?b", 7, null])
      expect(takeWanted(wanted(hash, 1_000), 1_000)).toBeUndefined();
    for (const at of [2_000, "1000", null]) expect(takeWanted(wanted("#/approvals/a", at), 1_000)).toBeUndefined();
    for (const text of [null, "{", "null", "[]"]) expect(takeWanted(shelfOf(text), 1_000)).toBeUndefined();
  });
});
