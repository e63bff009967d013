/**
 * What whoever asked for an order is told while it waits: the page or the whole command with which a person approves it, and what that needs first.
 *
 * Source: architecture.md#rule-2.
 */

import { attempt } from "../core/attempt.ts";
import type { DeskContext } from "../core/context.ts";
import type { ApprovalWay } from "../model/submission.ts";
import type { Terminal } from "../ports/terminal.ts";

/** A report that may be about something that waits. */
interface Told {
  readonly state: string;
  readonly error?: unknown;
  readonly next_action?: string;
}

/** Those that are named in what a report says to do. */
const COMMAND = /`?\bhoga (resume\b|pending\b|settle [^\s`]+ placed\b)`?/g;

export class ApprovalInstruction {
  readonly #context: DeskContext;

  constructor(context: DeskContext) {
    this.#context = context;
  }

  /** @param id of what waits @param then what to do until the person has answered */
  async complete<Report extends Told>(report: Report, id: string | undefined, then: string): Promise<Report> {
    const isWaiting = report.state === "awaiting_approval" && report.error === undefined;
    if (!isWaiting || id === undefined)
      return report.next_action === undefined ? report : { ...report, next_action: this.#copied(report.next_action) };
    return { ...report, next_action: `${await this.how(id)} ${then}` };
  }

  /** With the commands in it as a person's own shell needs them: another directory or store would answer else. */
  #copied(text: string): string {
    const { terminal } = this.#context;
    return text.replace(COMMAND, (said: string, words: string) => {
      const whole = terminal.command(...words.split(" "));
      return whole === `hoga ${words}` ? said : `\`${whole}\``;
    });
  }

  /** Sentences. @param id of what waits */
  async how(id: string): Promise<string> {
    const policy = this.#context.parts.policy.read();
    const ways: readonly ApprovalWay[] = policy.ok ? policy.value.approveBy : ["pin"];
    const { terminal } = this.#context;
    const approve = `\`${terminal.command("approve", id)}\``;
    const isTouched = ways.includes("passkey") && (await this.#hasPasskey());
    const page = terminal.approvalPage(id);
    const console = page === undefined ? "in hoga's console" : `in hoga's console at ${page}`;
    const byTouch = `${console} with their passkey`;
    if (!ways.includes("pin")) {
      if (isTouched) return `A person has to approve it ${byTouch}. Tell the user.`;
      if (ways.includes("client"))
        return "A person has to approve it in the form of their client, as policy.toml takes no PIN for it (approve_by). Tell the user.";
      return `A person has to approve it ${byTouch}, and none is enrolled yet: the console that \`${terminal.command("start")}\` opens does that. Tell the user.`;
    }
    if ((await hasPin(terminal)) !== false) {
      const elsewhere = isTouched ? `${byTouch}, or ` : page === undefined ? "" : `${console}, or `;
      return `A person has to approve it: ${elsewhere}on a terminal with ${approve}, which asks for the PIN. Tell the user.`;
    }
    if (isTouched) return `A person has to approve it ${byTouch}. Tell the user.`;
    return (
      `A person has to approve it, and no PIN is set yet: first, on a terminal, \`${terminal.command("pin")}\` sets one; then ` +
      `${approve} asks for it. Tell the user.`
    );
  }

  async #hasPasskey(): Promise<boolean> {
    const { isPractice, parts } = this.#context;
    const { passkeys } = parts;
    return passkeys !== undefined && (await attempt(() => passkeys.isEnrolled(!isPractice))).value === true;
  }
}

/** @returns undefined where the store cannot be read, which has other things to say than that there is no PIN */
export async function hasPin(terminal: Terminal): Promise<boolean | undefined> {
  try {
    return await terminal.hasPin();
  } catch {
    return undefined;
  }
}

/** Of an order. */
export function untilPlaced(userref: string | undefined): string {
  return `Then wait with await_order, userref ${userref ?? "as returned"}, until placed. Do not place it again.`;
}
