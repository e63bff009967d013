/** The pages of the exchanges and the tables that list them, made from their cards. */
import type { VenueCard } from "../src/contract/index.ts";
import { CARDS } from "../src/venues/index.ts";
import { plansThere, proofWords, wordsFor } from "../src/words/index.ts";

interface Page {
  /** In `docs/reference/venues`. */
  readonly name: string;
  readonly text: string;
}

const WORDS = wordsFor({ locale: "en", timeZone: "UTC" });
const HEAD = "| exchange | in a profile | markets in | how far it is proved |\n|---|---|---|---|\n";

/** What each level of proof means, in the order in which they are reached. */
const LEVELS = {
  L1: "the bytes of every signed call are those that another implementation makes",
  L2: "its answers and refusals, as documents and other clients show them, are read rightly",
  L3: "an order survives all planned faults, on the sandbox that speaks its API",
  L4: "a person has read an account with a real key",
  L5: "a person has placed and canceled a real order",
} as const;

const PARTS = { key: "key", secret: "secret", passphrase: "passphrase", private_key: "private key" } as const;

/** @returns the text, with a row for each exchange below the head of its table; `folder` is where the pages are from there */
export function withVenueTable(text: string, folder: string): string {
  const rows = CARDS.map((card) => {
    const { name, title, quotes } = card;
    return `| [${title.en}](${folder}${name}.md) | \`${name}\` | ${quotes.join(", ")} | ${proofWords(card, WORDS)} |\n`;
  });
  return text.replace(HEAD, `${HEAD}\0`).replace(/\0(?:\|.*\n)*/, rows.join(""));
}

/** @returns all files of `docs/reference/venues` */
export function venuePages(): readonly Page[] {
  return [
    { name: "README.md", text: listPage() },
    ...CARDS.map((card) => ({ name: `${card.name}.md`, text: page(card) })),
  ];
}

function listPage(): string {
  const levels = Object.entries(LEVELS).map(([level, means]) => `| ${level} | ${means} |`);
  const intro = [
    "# Exchanges",
    "",
    "The exchanges that hoga trades on, made from their cards by `npm run docs`; `hoga venues` prints the same. No order was ever sent to a real exchange",
    "until L5 of it has a day: nobody has been there with this program before.",
    "",
  ];
  const after = [
    "",
    "## Levels of proof",
    "",
    "| level | means |",
    "|---|---|",
    ...levels,
    "",
    "L1 to L3 are proved by tests. L4 and L5 take a person with a key. The exchange that hoga specifies has none of its own outside of the sandbox.",
    "",
  ];
  return withVenueTable([...intro, HEAD].join("\n"), "") + after.join("\n");
}

function page(card: VenueCard): string {
  const { title, name, unproven } = card;
  const sections: readonly (readonly [string, readonly string[]])[] = [
    ["Proof", proofOf(card)],
    ["Orders", ordersOf(card)],
    ["Plans", plansOf(card)],
    ['Ids, and what "not found" means', idsOf(card)],
    ["Rules and fees", rulesOf(card)],
    ["Lists and history", historyOf(card)],
    ["Limits", limitsOf(card)],
    ["The key", keyOf(card)],
    ["What stands on no document", unproven],
  ];
  const told = sections.filter(([, lines]) => lines.length > 0);
  return [
    `# ${title.en}`,
    "",
    `${title.ko === title.en ? "" : `${title.ko}. `}In a profile: \`exchange = "${name}"\`. Markets in ${card.quotes.join(", ")}. ${addressOf(card)}`,
    `Made from \`src/venues/${name}/card.ts\` by \`npm run docs\`.`,
    ...told.flatMap(([head, lines]) => ["", `## ${head}`, "", ...lines.map((line) => `- ${line}`)]),
    "",
  ].join("\n");
}

function addressOf({ hosts }: VenueCard): string {
  return hosts.length === 0 ? "Its address is the profile's `base_url`." : `Its API is at ${hosts.join(", ")}.`;
}

function proofOf(card: VenueCard): readonly string[] {
  const { name, proof } = card;
  const levels = Object.entries(LEVELS).map(([level, means]) => {
    const day = proof[level as keyof typeof LEVELS];
    return `${level}, ${means}: ${day ?? "not yet"}.`;
  });
  const rules =
    name === "hoga"
      ? "What it does, rule by rule, is in [the service](../service.md)."
      : `On which document each part of the adapter stands, and how sure it is: [SOURCES.md](../../../src/venues/${name}/SOURCES.md).`;
  return [...levels, rules];
}

function ordersOf(card: VenueCard): readonly string[] {
  const { time_in_force: life } = card;
  const post = {
    flag: "Post-only is taken, as a flag of the order.",
    tif: "Post-only is taken, as a time in force of the exchange's.",
    type: "Post-only is taken, as an order type of the exchange's.",
    none: "Post-only is not taken.",
  } as const;
  const by = {
    cost: "an amount of the quote currency",
    volume: "a number of coins",
    both: "an amount of the quote currency or a number of coins",
  } as const;
  return [
    `Types: ${card.types.join(", ")}. Time in force of a limit order: ${life.limit.join(", ")}${life.limit_sell === undefined ? "" : `, of one to sell ${life.limit_sell.join(", ")}`}; of a market order: ${life.market.join(", ")}.`,
    post[card.post_only],
    `The size of a market buy is ${by[card.market_buy_by]}; of a market sell, ${by[card.market_sell_by]}.`,
    card.place_answer === "order"
      ? "The answer to an order shows the order."
      : "The answer to an order is its id alone.",
    card.test_order
      ? "The exchange can check an order without placing it."
      : "The exchange is not asked to check an order in advance: a preview is hoga's own.",
    cancelAll(card),
    card.cancel_timer
      ? "It has a timer of its own that cancels everything."
      : "hoga uses no cancel timer of the exchange: hoga cancels by itself, and only while it runs.",
  ];
}

function plansOf(card: VenueCard): readonly string[] {
  const [works, kept] = plansThere(card, WORDS);
  return [works, "What the orders of a plan need and the exchange has not is said when the plan is made.", kept];
}

function cancelAll({ cancel_all: how }: VenueCard): string {
  const ways = {
    one_call: "one call cancels them",
    loop_calls: "several calls cancel them, and hoga goes on until none is left",
    loop_orders: "each order is canceled by itself",
  } as const;
  return `All open orders: ${ways[how]}.`;
}

function idsOf(card: VenueCard): readonly string[] {
  const { client_id: id } = card;
  const unique = {
    account_forever: "once in an account, for ever",
    account: "once in an account",
    open_orders: "once among the open orders",
    none: "as often as one likes",
  } as const;
  return [
    id.is === "userref"
      ? `The name of an order (\`userref\`) travels as it is, in the field \`${id.field}\`.`
      : `hoga's own id travels in the field \`${id.field}\`. A \`userref\` of the caller stays here: the id is derived from it, and results show the name.`,
    `The exchange takes an id ${unique[id.unique]}${id.burned_by_refusal ? "; a refused order uses it up too" : ""}.`,
    absence(card),
    `By that id an order is found when it is ${card.lookup_finds.join(", ")}: ${retention(card)}.`,
    card.visible_after_ms === 0
      ? "An order is found as soon as it was taken."
      : `An order may be there for ${card.visible_after_ms / 1_000} s before it is found.`,
  ];
}

function absence({ absence: by }: VenueCard): string {
  const waits = "An order without an answer stays `unknown` until it is found or a person settles it (`hoga settle`).";
  switch (by.by) {
    case "nonce":
      return '"Not found" is final once a later call of the same key was answered: the exchange takes no older nonce after it.';
    case "expiry":
      return by.at === "engine"
        ? `A request runs out after ${by.ms} ms, checked where orders match: "not found" is final some time after that.`
        : `A request runs out after ${by.ms} ms, which is checked before it waits to be matched: "not found" is never final. ${waits}`;
    case "id":
      return `"Not found" is never final. That an id counts once keeps an order from being doubled and proves nothing. ${waits}`;
    case "none":
      return `"Not found" is never final. ${waits}`;
    default:
      return by satisfies never;
  }
}

function retention({ lookup_finds: states, lookup_retention_days: days }: VenueCard): string {
  const told = states.filter((state) => days[state] !== null).map((state) => `${state} for ${days[state]} days`);
  return told.length === 0 ? "no end of that is documented" : told.join(", ");
}

function rulesOf(card: VenueCard): readonly string[] {
  const ticks = {
    endpoint: "Ticks are asked of the exchange.",
    table: "Ticks are from a table that the exchange publishes.",
    static: "Ticks are written down in hoga.",
  } as const;
  return [
    ticks[card.ticks],
    card.market_rules === "one_by_one"
      ? "Tick, minimum and fees are told market by market: they are asked for when an order is built. Lists of markets show what is assumed."
      : "The list of markets tells tick, minimum and fees of each.",
    card.fees === "endpoint" ? "Fee rates are asked of the exchange, with the key." : "Fee rates are assumed.",
    card.fee_per_fill
      ? "Each fill has its own fee."
      : "The exchange tells one fee an order: that of a fill is its share by value, and `fee_exact` is false where an order has several.",
  ];
}

function historyOf(card: VenueCard): readonly string[] {
  const { history } = card;
  const back = history.closed_days === null ? "without a limit that is documented" : `${history.closed_days} days`;
  return [
    card.open_orders === "all" ? "One list has all open orders." : "Open orders are listed market by market.",
    history.window_days === null
      ? `Ended orders are listed back ${back}, up to ${history.page} in one answer.`
      : `Ended orders are listed ${history.window_days} days at a time, up to ${history.page} in one answer, back ${back}.`,
    ...(history.read_days === null
      ? []
      : [`Where nobody says from when, the orders of the last ${history.read_days} days are read.`]),
    card.fills === "list" ? "Fills have a list of their own." : "Fills are read from the orders, each asked for once.",
    ...(card.stream === "both"
      ? [
          card.name === "hoga"
            ? "A stream tells of markets and of the account."
            : "A stream tells of books, trades and the account. What it says of an order or a balance is a reason to look, and no proof: hoga goes on asking as often as without it.",
        ]
      : []),
    ...(card.stream === "public" ? ["A stream tells of markets alone; the account is polled."] : []),
    ...(card.stream === "none" ? ["hoga uses no stream of it: what changes is asked for."] : []),
  ];
}

function limitsOf({ rates, ban, clock }: VenueCard): readonly string[] {
  return [
    ...rates.map((rate) => `${rate[0]?.toUpperCase()}${rate.slice(1)}.`),
    ...(ban === null ? [] : [`Who goes on over them is shut out (${ban}); cancels do not go then either.`]),
    clock.source === "endpoint" ? "Its time is asked for." : "Its time is that of its answers (the header `Date`).",
    ...(clock.window_ms === null ? [] : [`A request may be ${clock.window_ms} ms old.`]),
  ];
}

function keyOf({ auth }: VenueCard): readonly string[] {
  return [
    `Signed by ${auth.scheme}. Parts: ${auth.parts
      .map((part) => PARTS[part])
      .join(" and ")
      .replace("secret and private", "secret, or private")}.`,
    `Rights that hoga needs: ${auth.permissions.join(", ")}. Never one to withdraw.`,
    ...(auth.ip_allow_list ? ["It can be held to a list of addresses: put this machine's on it."] : []),
    auth.key_life_days === null
      ? "Nothing is known of a day on which it ends."
      : `It ends after ${auth.key_life_days} days: note the day.`,
    "A key of its own for hoga. Orders by hand beside it are seen, and not counted as hoga's.",
  ];
}
