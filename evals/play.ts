/**
 * Plays a request: sets the stage, lets somebody act (the calls of `requests.yaml`, or a model), and looks at the exchange afterwards.
 * Entry point: `play`.
 */
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import type { Tokens } from "./apis/conversation.ts";
import type { Facts, Later, Request, Step } from "./request.ts";
import { type Answer, type Fields, openStage, type Reach, type Stage } from "./stage.ts";

export interface Played {
  /** What is not as it should be; empty where all is well. */
  readonly wrong: readonly string[];
  readonly calls: readonly Made[];
  /** What the model read and wrote; zero where there is none. */
  readonly tokens: Tokens;
}

/** A call that was made. */
export interface Made {
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly answer: Answer;
}

/** Calls the tools that it wants. @returns what is said to the person at the end, and what went wrong on the way */
export type Actor = (
  request: Request,
  stage: Stage,
  make: Make,
) => Promise<{ readonly said: string; readonly wrong: readonly string[]; readonly tokens: Tokens }>;

/** Makes one call. */
export type Make = (name: string, args: Readonly<Record<string, unknown>>) => Promise<Answer>;

export const NO_TOKENS: Tokens = { read: 0, written: 0 };

/** The calls of the file, one after the other. */
export const scripted: Actor = async ({ calls }, _, make) => {
  const known = new Map<string, unknown>(times());
  const wrong: string[] = [];
  for (const call of calls) {
    const answer = await make(call.call, filled(call.with, known) as Record<string, unknown>);
    if (answer.isError !== call.fails) {
      wrong.push(`${call.call} ${answer.isError ? "failed" : "did not fail"}: ${answer.text}`);
      break;
    }
    if (call.as !== undefined) known.set(call.as, answer.structured);
  }
  return { said: "", wrong, tokens: NO_TOKENS };
};

export async function play(request: Request, actor: Actor, reach?: Reach): Promise<Played> {
  const stage = await openStage(request, reach);
  try {
    // Whoever set the stage wanted what is on it.
    stage.answers(true);
    for (const step of request.before) await prepare(stage, step);
    stage.answers(request.person === "yes");
    const earlier = stage.orders().length;
    const calls: Made[] = [];
    const { said, wrong, tokens } = await actor(request, stage, async (name, args) => {
      const answer = await stage.call(name, args);
      calls.push({ name, args, answer });
      return answer;
    });
    const texts = [...calls.map(({ answer }) => answer.text), said].join("\n");
    for (const step of request.after) await comeAbout(stage, step);
    const facts = await wrongInTheEnd(request, stage, { earlier, texts });
    return { calls, tokens, wrong: [...wrong, ...facts] };
  } finally {
    await stage.close();
  }
}

async function prepare(stage: Stage, step: Step): Promise<void> {
  if (!("call" in step)) return comeAbout(stage, step);
  const answer = await stage.call(step.call, filled(step.with, new Map(times())) as Record<string, unknown>);
  if (answer.isError !== step.fails) throw new Error(`the stage could not be set: ${answer.text}`);
}

async function comeAbout(stage: Stage, step: Later): Promise<void> {
  if ("others" in step) return stage.others(step.others, step.symbol, step.price, step.volume);
  if ("market" in step) return stage.market(step.market, step.bid, step.ask);
  if ("seconds" in step) return pause(step.seconds * 1_000);
  if ("days" in step) return stage.clockTo(stage.now() + step.days * DAY_MS);
  if ("plans" in step) return patient(async () => areAs(await stage.plans(), step.plans));
  for (let turn = 0; turn < step.turns; turn++) await turnOver(stage);
}

const DAY_MS = 86_400_000;
/** A little later than it is due. */
const AFTER_DUE_MS = 100;

/** The exchange's clock goes to when the next turn of a plan is due; returns when that is over. */
async function turnOver(stage: Stage): Promise<void> {
  await nothingDue(stage);
  const [next] = turnsOf(await stage.plans());
  // Where there is none, nobody has made such a plan: the facts tell.
  if (next === undefined) return;
  await stage.clockTo(next + AFTER_DUE_MS);
  await nothingDue(stage);
}

/** hoga reckons the exchange's time to less than this; the turns of a plan are further apart. */
const SOON_MS = 3_000;

/** Until no turn of an active plan is due or about to be, or that takes too long. */
function nothingDue(stage: Stage): Promise<void> {
  return patient(async () => {
    const active = (await stage.plans()).filter(({ state }) => state === "active");
    return !turnsOf(active).some((at) => at <= stage.now() + SOON_MS);
  });
}

/** What comes about by itself takes its time. */
const PATIENCE_MS = 15_000;
const LOOK_EVERY_MS = 100;

/** Until it is so, or that takes too long: then the facts tell. */
async function patient(isSo: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + PATIENCE_MS;
  while (!(await isSo()) && performance.now() < end) await pause(LOOK_EVERY_MS);
}

/** When the next of each is due, in Unix milliseconds, the first of all first. */
function turnsOf(plans: readonly Fields[]): readonly number[] {
  const next = plans.flatMap((plan) => ((plan["next_turns"] ?? []) as readonly { readonly at: string }[]).slice(0, 1));
  return next.map(({ at }) => Date.parse(at)).sort((a, b) => a - b);
}

/** `{day}`: when the day began in Seoul; `{now}`. */
function times(): readonly (readonly [string, string])[] {
  const now = new Date();
  const seoul = new Date(now.getTime() + 9 * 3_600_000).toISOString().slice(0, 10);
  return [
    ["day", `${seoul}T00:00:00+09:00`],
    ["now", now.toISOString()],
  ];
}

/** Puts fields of earlier answers where a text asks for them. */
function filled(value: unknown, known: ReadonlyMap<string, unknown>): unknown {
  if (typeof value === "string")
    return value.replaceAll(/\{(\w+)((?:\.\w+)*)\}/g, (_, name: string, path: string) => {
      const fields = path.split(".").slice(1);
      const found = fields.reduce<unknown>((at, field) => (at as Record<string, unknown>)?.[field], known.get(name));
      if (typeof found !== "string") throw new Error(`no text at ${name}${path}`);
      return found;
    });
  if (Array.isArray(value)) return value.map((each) => filled(each, known));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, filled(each, known)]));
}

interface Said {
  readonly earlier: number;
  readonly texts: string;
}

interface Seen extends Said {
  readonly halted: boolean;
  readonly plans: readonly Fields[];
}

/** Looks again where something may yet come about; what should not have come about has had its time. */
async function wrongInTheEnd({ facts, after }: Request, stage: Stage, said: Said): Promise<string[]> {
  let wrong: string[] = [];
  const look = async (): Promise<boolean> => {
    const { structured: status } = await stage.call("get_desk_status", {});
    const seen = { ...said, plans: await stage.plans(), halted: status["brake"] !== undefined };
    wrong = wrongFacts(facts, stage, seen);
    return wrong.length === 0;
  };
  await (after.length === 0 ? look() : patient(look));
  return wrong;
}

function wrongFacts(facts: Facts, stage: Stage, { earlier, texts, halted, plans }: Seen): string[] {
  const orders = stage.orders();
  const made = orders.slice(earlier);
  const wrong = facts.text.filter((word) => !texts.includes(word)).map((word) => `no answer says ${quote(word)}`);
  wrong.push(...facts.absent.filter((word) => texts.includes(word)).map((word) => `an answer says ${quote(word)}`));
  if (wrong.length > 0) wrong.push(`the answers: ${texts}`);
  if (!areAs(made, facts.orders)) wrong.push(`orders are ${JSON.stringify(made)}, not ${JSON.stringify(facts.orders)}`);
  for (const [userref, due] of Object.entries(facts.standing)) {
    const order = orders.find((each) => each["userref"] === userref);
    if (!has(order, due)) wrong.push(`${userref} is ${JSON.stringify(order)}, not ${JSON.stringify(due)}`);
  }
  for (const [asset, due] of Object.entries(facts.balances)) {
    const held = stage.balance(asset);
    if (!has(held, due)) wrong.push(`${asset} is ${JSON.stringify(held)}, not ${JSON.stringify(due)}`);
  }
  if (!areAs(plans, facts.plans)) wrong.push(`plans are ${JSON.stringify(plans)}, not ${JSON.stringify(facts.plans)}`);
  if (halted !== facts.halted) wrong.push(halted ? "trading is halted" : "trading is not halted");
  return wrong;
}

/** As many, each with the fields that are due. */
function areAs(found: readonly Fields[], due: readonly Fields[]): boolean {
  return found.length === due.length && due.every((each, at) => has(found[at], each));
}

function has(found: Fields | undefined, due: Fields): boolean {
  return found !== undefined && Object.entries(due).every(([name, value]) => isDeepStrictEqual(found[name], value));
}

function quote(word: string): string {
  return JSON.stringify(word);
}
