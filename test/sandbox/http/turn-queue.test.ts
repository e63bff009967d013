import { setImmediate as endOfTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import { TurnQueue } from "../../../src/sandbox/http/turn-queue.ts";

it("work waits for the end of the turn, and is done in order, with what it adds itself", async () => {
  const [turn, done]: [TurnQueue, string[]] = [new TurnQueue(), []];
  turn.add(() => {
    done.push("a");
    turn.add(() => done.push("by a"));
  });
  turn.add(() => done.push("b"));
  await Promise.resolve();
  expect(done).toEqual([]);
  await endOfTurn();
  expect(done).toEqual(["a", "b", "by a"]);
  turn.add(() => done.push("c"));
  await endOfTurn();
  expect(done).toEqual(["a", "b", "by a", "c"]);
});

it("work that is done earlier, also by other work, is done once", async () => {
  const [turn, done]: [TurnQueue, string[]] = [new TurnQueue(), []];
  turn.add(() => {
    turn.run();
    done.push("a");
  });
  turn.add(() => done.push("b"));
  turn.run();
  expect(done).toEqual(["b", "a"]);
  turn.add(() => done.push("c"));
  await endOfTurn();
  expect(done).toEqual(["b", "a", "c"]);
});

it("work that throws is not done again, and what waits behind it is not lost", async () => {
  const [turn, done]: [TurnQueue, string[]] = [new TurnQueue(), []];
  turn.add(() => {
    done.push("a");
    throw new Error("a defect");
  });
  turn.add(() => done.push("b"));
  expect(() => turn.run()).toThrow("a defect");
  await endOfTurn();
  expect(done).toEqual(["a", "b"]);
});
