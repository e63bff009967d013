import { describe, expect, it } from "vitest";
import { ServerState } from "../../src/store/sql/server-state.ts";
import { storeError } from "../../src/store/sql/store-error.ts";

const PATH = "postgres://db.example/hoga (schema hoga)";
const refused = storeError("no_server", PATH);

describe("a server that is out of reach", () => {
  it("is away once the patience of the process is used up, whoever failed, and not before", () => {
    const state = new ServerState();
    for (const nowMs of [0, 2_000, 4_999]) state.failed(refused, nowMs, true);
    expect(state.away).toBeUndefined();
    state.failed(storeError("no_room", PATH), 5_000, true);
    expect(state.away).toMatchObject({ code: "no_room" });
    state.answered();
    expect(state.away).toBeUndefined();
    state.failed(refused, 5_001, true);
    expect(state.away).toBeUndefined();
  });

  it.each(["login_refused", "no_database"] as const)(
    "is away at once where nothing else would do better: %s",
    (code) => {
      const state = new ServerState();
      state.failed(storeError(code, PATH), 0, true);
      expect(state.away).toMatchObject({ code });
    },
  );

  it("is away where it said nothing in the whole time that it was given, not in the moment of a cancel", () => {
    const state = new ServerState();
    state.failed(storeError("no_answer", PATH), 0, false);
    expect(state.away).toBeUndefined();
    state.failed(storeError("no_answer", PATH), 600, true);
    expect(state.away).toMatchObject({ code: "no_answer" });
  });

  it.each(["busy", "disk_full", "refused", "no_tables", "canceled", "no_session"] as const)(
    "is not away where it has answered: %s",
    (code) => {
      const state = new ServerState();
      for (const nowMs of [0, 60_000]) state.failed(storeError(code, PATH), nowMs, true);
      expect(state.away).toBeUndefined();
    },
  );

  it("is looked at by one at a time, and not again and again", async () => {
    const state = new ServerState();
    let nowMs = 0;
    let looks = 0;
    let end: () => void = () => undefined;
    const look = () =>
      state.look(
        () => nowMs,
        () =>
          new Promise<void>((resolve) => {
            looks += 1;
            end = resolve;
          }),
      );
    void look();
    nowMs = 5_000;
    void look();
    expect(looks).toBe(1);
    end();
    await Promise.resolve();
    nowMs = 5_400;
    void look();
    expect(looks).toBe(1);
    nowMs = 5_500;
    void look();
    expect(looks).toBe(2);
  });

  it("tells for how long the oldest question has had no answer", async () => {
    const state = new ServerState();
    let answer: () => void = () => undefined;
    const asked = state.asking(
      100,
      new Promise<void>((resolve) => {
        answer = resolve;
      }),
    );
    await state.asking(300, Promise.resolve());
    expect(state.waitingMs(400)).toBe(300);
    answer();
    await asked;
    expect(state.waitingMs(400)).toBe(0);
  });

  it("may be back where nobody has looked at it for long", async () => {
    const state = new ServerState();
    state.failed(storeError("no_answer", PATH), 0, true);
    expect(state.isForgotten(4_999)).toBe(false);
    expect(state.isForgotten(5_000)).toBe(true);
    await state.look(
      () => 5_000,
      () => Promise.reject(refused),
    );
    expect(state.isForgotten(9_999)).toBe(false);
  });
});
