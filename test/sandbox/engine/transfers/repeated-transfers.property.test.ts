import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type Engine, restoreEngine } from "../../../../src/sandbox/engine/index.ts";
import type { TransferCommand } from "../../../../src/sandbox/model/index.ts";
import { stateText, testEngine } from "../exchange-kit.ts";
import { ACCOUNTS, moves, play, type TimedCommand } from "../random-orders.ts";

/** The same request as it arrives again: the exchange generates another id for it. */
function anew(command: TransferCommand): TransferCommand {
  switch (command.type) {
    case "quotePayment":
      return { ...command, paymentId: `${command.paymentId}-again` };
    case "quoteRemittance":
      return { ...command, quoteId: `${command.quoteId}-again` };
    case "createRemittance":
      return { ...command, remittanceId: `${command.remittanceId}-again` };
    case "confirmPayment":
    case "cancelPayment":
    case "refundPayment":
    case "cancelRemittance":
      return command;
    default:
      return command satisfies never;
  }
}

const isTransfer = (command: TimedCommand["command"]): command is TransferCommand => "idempotency" in command;

/** Each request has an idempotency key of its own. */
const named = (commands: readonly TimedCommand[]): readonly TimedCommand[] =>
  commands.map(({ command, at }, index) =>
    isTransfer(command)
      ? { at, command: { ...command, idempotency: { key: `key-${index}`, digest: `digest-${index}` } } }
      : { at, command },
  );

describe("any sequence of payments and remittances under idempotency keys", () => {
  it("moves money once, however often each request is repeated and wherever the exchange is restarted", () => {
    let repeats = 0;
    fc.assert(
      fc.property(moves({ maxLength: 80 }), fc.array(fc.nat(), { minLength: 1, maxLength: 40 }), (list, picks) => {
        const commands = named(play(list, () => {}).commands);
        const once = testEngine(...ACCOUNTS);
        let often: Engine = testEngine(...ACCOUNTS);
        const answered: { readonly command: TransferCommand; readonly answer: unknown }[] = [];
        for (const [index, { command, at }] of commands.entries()) {
          const answer = often.apply(command, at);
          expect(once.apply(command, at)).toEqual(answer);
          if (isTransfer(command) && answer.ok) answered.push({ command, answer });
          const pick = picks[index % picks.length] ?? 0;
          const again = answered[pick % Math.max(answered.length, 1)];
          if (again === undefined) continue;
          repeats += 1;
          if (pick % 7 === 0) often = restoreEngine(JSON.parse(stateText(often)));
          expect(often.apply(anew(again.command), at)).toEqual(again.answer);
          expect(often.answerTo(again.command.accountId, again.command.idempotency?.key ?? "")).toEqual(again.answer);
        }
        expect(stateText(often)).toBe(stateText(once));
      }),
      { numRuns: 50 },
    );
    expect(repeats).toBeGreaterThan(200);
  });
});
