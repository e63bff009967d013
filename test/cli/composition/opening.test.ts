import { describe, expect, it } from "vitest";
import { isPassing, onceItOpens } from "../../../src/cli/composition/opening.ts";
import { StoreError } from "../../../src/store/index.ts";

const full = new StoreError("disk_full", "The disk is full.", "Free some space.");
const away = new StoreError("no_server", "The store cannot be reached.", "Start the server.");
const damaged = new StoreError("damaged", "The store is damaged.", "Restore it.");

/** A step that fails with these errors, one after the other, and then succeeds. */
function opening(errors: readonly Error[]) {
  const state = { nowMs: 0, attempts: 0, told: 0 };
  const step = async () => {
    const error = errors[state.attempts];
    state.attempts += 1;
    if (error !== undefined) throw error;
    return "open";
  };
  const open = onceItOpens(
    step,
    () => (state.told += 1),
    () => state.nowMs,
  );
  return { open, state };
}

describe("what could not be opened on a full disk, or without the store's server", () => {
  it("is tried again by later calls, not by each, and told when it is open", async () => {
    const { open, state } = opening([full, away]);
    await expect(open()).rejects.toBe(full);
    await expect(Promise.all([open(), open()])).rejects.toBe(full);
    expect(state.attempts).toBe(1);
    state.nowMs = 500;
    await expect(Promise.all([open(), open()])).rejects.toBe(away);
    expect(state.attempts).toBe(2);
    state.nowMs = 1_000;
    expect(await Promise.all([open(), open()])).toEqual(["open", "open"]);
    state.nowMs = 9_000;
    expect(await open()).toBe("open");
    expect(state).toMatchObject({ attempts: 3, told: 1 });
  });

  it("is not tried again for another reason", async () => {
    const { open, state } = opening([damaged]);
    await expect(open()).rejects.toBe(damaged);
    state.nowMs = 9_000;
    await expect(open()).rejects.toBe(damaged);
    expect(state).toMatchObject({ attempts: 1, told: 0 });
  });

  it("is recognized behind what was said of it", () => {
    const system = Object.assign(new Error("write"), { code: "ENOSPC" });
    expect(isPassing(new Error("cannot be created", { cause: system }))).toBe(true);
    expect(isPassing(Object.assign(new Error("open"), { code: "EACCES" }))).toBe(false);
    expect(isPassing("ENOSPC")).toBe(false);
  });
});
