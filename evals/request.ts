/**
 * A request as `requests.yaml` writes it: what a person says, on which stage, the calls that a good assistant makes, and what must be so
 * afterwards. Entry point: `readRequests`.
 */
import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { z } from "zod";

/** Arguments of a call; `{name.field}` in a text is a field of an earlier answer, `{name}` one of the times of `play.ts`. */
const values = z.record(z.string(), z.unknown());

const call = z
  .strictObject({
    call: z.string(),
    with: values.default({}),
    /** Under which name later calls use the answer. */
    as: z.string().optional(),
    /** The answer is an error, as it should be. */
    fails: z.boolean().default(false),
  })
  .readonly();

/** A request is judged within seconds. */
const MOST_SECONDS = 10;
const MOST_TURNS = 10;
const MOST_DAYS = 366;

/** Another account's limit order at the exchange; it can meet the person's. */
const others = z.strictObject({
  others: z.enum(["buy", "sell"]),
  symbol: z.string(),
  price: z.string(),
  volume: z.string(),
});

/** What comes about at the exchange, step by step; while time passes, others go on trading where a step has put the market. */
const later = z.union([
  others,
  /** Others bid and ask at these prices alone, and trade at the latter every second from now on. */
  z.strictObject({ market: z.string(), bid: z.string(), ask: z.string() }),
  /** So long really. */
  z.strictObject({ seconds: z.number().positive().max(MOST_SECONDS) }),
  /** The exchange's clock is put ahead. */
  z.strictObject({ days: z.int().positive().max(MOST_DAYS) }),
  /** It is put ahead to when the next turn or piece of a plan is due, and that one is over: so often. */
  z.strictObject({ turns: z.int().positive().max(MOST_TURNS) }),
  /** Until the account's plans are so, as facts have them. */
  z.strictObject({ plans: z.array(values) }),
]);

const facts = z.strictObject({
  /** Every order at the exchange that came after the stage was set, oldest first, with the fields given. */
  orders: z.array(values).default([]),
  /** Orders of the stage, by userref, with the fields given. */
  standing: z.record(z.string(), values).default({}),
  /** By asset, with the fields given. */
  balances: z.record(z.string(), values).default({}),
  /** Every plan of the account, those of the stage too, oldest first, with the fields given. */
  plans: z.array(values).default([]),
  /** Whether trading is halted. */
  halted: z.boolean().default(false),
  /** Each is in the text of some answer. */
  text: z.array(z.string()).default([]),
  /** None is in the text of any answer. */
  absent: z.array(z.string()).default([]),
});

const setting = z.union([z.string(), z.number(), z.array(z.string())]);

const request = z
  .strictObject({
    id: z.string().regex(/^[a-z0-9-]+$/),
    says: z.string(),
    /** What the person answers when hoga shows a form; `nobody` where the client can show none. */
    person: z.enum(["yes", "no", "nobody"]).default("nobody"),
    /** What policy.toml has. */
    policy: z.record(z.string(), z.union([setting, z.record(z.string(), setting)])).default({}),
    /** Payments and remittances are switched on. */
    drafts: z.boolean().default(false),
    before: z.array(z.union([call, later])).default([]),
    calls: z.array(call),
    after: z.array(later).default([]),
    facts,
  })
  .readonly();

export type Step = Request["before"][number];
export type Later = Request["after"][number];
export type Facts = z.infer<typeof facts>;
export type Request = z.infer<typeof request>;

/** @throws with place and field where the file is not as above */
export function readRequests(path: string): readonly Request[] {
  const requests = z.array(request).parse(parse(readFileSync(path, "utf8")));
  const ids = new Set(requests.map(({ id }) => id));
  if (ids.size < requests.length) throw new Error(`${path}: an id stands twice`);
  return requests;
}
