import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  canTransferMove,
  isUnresolved,
  TRANSFER_MOVES,
  TRANSFER_STATES,
  type TransferState,
} from "../../../src/desk/index.ts";

const TERMINAL: readonly TransferState[] = ["denied", "lapsed", "done", "rejected"];
const BEFORE_SENDING: readonly TransferState[] = ["awaiting_approval", "approved"];
const UNSETTLED: readonly TransferState[] = ["submitting", "unknown"];
const sourcesOf = (to: TransferState) => TRANSFER_STATES.filter((from) => canTransferMove(from, to));

/** A life as random choices among the permitted moves make it; over a person's word alone the exchange may show what was sent. */
const lives = fc
  .tuple(
    fc.constantFrom<TransferState>("awaiting_approval", "approved"),
    fc.array(fc.nat({ max: 1_000 }), { maxLength: 30 }),
  )
  .map(([first, choices]) => {
    const path = [first];
    for (const choice of choices) {
      const wasSent = UNSETTLED.includes(path.at(-2) ?? first);
      const [last = first] = path.slice(-1);
      const moves = TRANSFER_MOVES[last].filter((to) => last !== "not_made" || wasSent || to !== "done");
      path.push(...moves.slice(choice % (moves.length || 1)).slice(0, 1));
    }
    return path;
  });

describe("the life of a transfer", () => {
  it("has ends that nothing leaves, and no other state without a way on", () => {
    expect(TRANSFER_STATES.filter((state) => TRANSFER_MOVES[state].length === 0)).toEqual(
      TRANSFER_STATES.filter((state) => TERMINAL.includes(state)),
    );
    fc.assert(fc.property(lives, (path) => path.slice(0, -1).every((state) => !TERMINAL.includes(state))));
  });

  it("leads to each state only from where that is known to be true", () => {
    expect(sourcesOf("submitting")).toEqual(["approved"]);
    expect(sourcesOf("unknown")).toEqual(["submitting", "unknown"]);
    expect(sourcesOf("done")).toEqual([...UNSETTLED, "not_made"]);
    expect(sourcesOf("rejected")).toEqual(UNSETTLED);
    expect(sourcesOf("approved")).toEqual(["awaiting_approval", "approved", "not_made"]);
    expect(sourcesOf("awaiting_approval")).toEqual(["not_made"]);
    for (const unsent of ["denied", "lapsed"] as const) expect(sourcesOf(unsent)).toEqual(BEFORE_SENDING);
  });

  it("is sent a second time only behind the proof that the first had no effect, and never once it is done", () => {
    fc.assert(
      fc.property(lives, (path) => {
        const between = path.join(" ").split("submitting").slice(1, -1);
        for (const part of between) expect(part).toContain("not_made");
        const done = path.indexOf("done");
        if (done >= 0) expect(path.slice(done)).toEqual(["done"]);
        const told = path.findIndex((state) => ["done", "rejected", "unknown"].includes(state));
        if (told >= 0) expect(path.slice(0, told)).toContain("submitting");
      }),
      { numRuns: 2_000 },
    );
  });

  it("is not taken for unsent once it was sent, but on proof", () => {
    for (const state of UNSETTLED)
      expect(TRANSFER_MOVES[state].filter((to) => !["done", "rejected", "unknown"].includes(to))).toEqual(["not_made"]);
    expect(TRANSFER_STATES.filter(isUnresolved)).toEqual(UNSETTLED);
  });

  it("needs a yes for what waits for one, which no other way leads around", () => {
    expect(TRANSFER_MOVES.awaiting_approval).toEqual(["approved", "denied", "lapsed"]);
  });
});
