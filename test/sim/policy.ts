/**
 * Ways to treat orders that are known to be wrong: the four classic ones for an order without an answer, and what would break
 * budgets and approval. Each is put around the ports of a sound desk; the invariants
 * have to notice every one of them, or they prove nothing.
 */
import { failed, ok, type Result } from "../../src/contract/index.ts";
import type {
  AccountUsage,
  Clock,
  Desk,
  IntentBody,
  IntentRecord,
  Journal,
  OrderRequest,
  PlanBook,
  Venue,
  WriteReport,
} from "../../src/desk/index.ts";
import { userrefOfStep } from "../../src/desk/model/plan.ts";
import { DUPLICATE } from "../../src/venues/refusals.ts";
import { approveShown } from "../fixture/person.ts";
import type { Storage } from "./storage.ts";
import { SENT } from "./words.ts";

export interface Policy {
  readonly venue?: (venue: Venue) => Venue;
  readonly journal?: (journal: Journal) => Journal;
  readonly plans?: (book: PlanBook) => PlanBook;
  readonly clock?: (clock: Clock) => Clock;
  readonly desk?: (desk: Desk) => Desk;
  /** A process starts again over what is stored. */
  readonly restart?: (storage: Storage) => Promise<void>;
}

const TRIES = 2;

function isUnanswered(answer: Result<unknown>): boolean {
  return !answer.ok && answer.fault.reachedVenue === "unknown";
}

/** The order is sent again as a new one. */
function newIdOnRetry(): Policy {
  let made = 0;
  const isPlain = (request: Parameters<Desk["place"]>[0]): request is OrderRequest => !("draft_id" in request);
  return {
    ...comparing(() => false),
    desk: (desk) => ({
      ...desk,
      place: async (request) => {
        let report: WriteReport = await desk.place(request);
        for (let tries = 0; isPlain(request) && report.outcome === "unknown" && tries < TRIES; tries++)
          report = await desk.place({ ...request, userref: `again-${++made}` });
        return report;
      },
    }),
  };
}

/** An order is compared with those only that this lets pass. */
function comparing(isCompared: (twin: IntentRecord) => boolean): Policy {
  return {
    journal: (journal) => ({
      ...journal,
      unresolvedOrUnacknowledged: async (account, states, limit) => {
        const found = await journal.unresolvedOrUnacknowledged(account, states, limit);
        return found.ok ? ok(found.value.filter(isCompared)) : found;
      },
    }),
  };
}

/** An order is compared only with those that are known to have no answer, and not with what was under way when a process died. */
function forgetsWhatWasUnderWay(): Policy {
  return comparing(({ state }) => state !== "approved" && state !== "submitting");
}

/** What was settled while nobody was there to hear it counts as told. */
function takesSettledForTold(): Policy {
  return comparing(({ state }) => state === "approved" || SENT.includes(state));
}

/** The same request is sent again. */
function sameIdOnRetry(): Policy {
  return {
    venue: (venue) =>
      replaced(venue, {
        submit: async (order, beforeSend) => {
          let answer = await venue.submit(order, beforeSend);
          for (let tries = 0; isUnanswered(answer) && tries < TRIES; tries++)
            answer = await venue.submit(order, async () => true);
          return answer;
        },
      }),
  };
}

const EVERYWHERE = new Set(["open", "closed", "canceled"] as const);

/** An order that could not be asked about twice is taken for not there. */
function rejectAfterQueries(): Policy {
  const failures = new Map<string, number>();
  return {
    venue: (venue) =>
      replaced(venue, {
        lookup: async (name, fence) => {
          const answer = await venue.lookup(name, fence);
          const { userref } = name;
          if (answer.ok) return answer;
          const count = (failures.get(userref) ?? 0) + 1;
          failures.set(userref, count);
          return count < TRIES ? answer : ok({ kind: "none", covers: EVERYWHERE, atMs: 0 });
        },
      }),
  };
}

/** "Not found" is believed 40 s after it was first said, whatever the venue promises. */
function believesAfterAWhile(): Policy {
  return {
    journal: (journal) => ({
      ...journal,
      advance: async (intentId, change, atMs) => {
        const { evidence, ...body } = change.body ?? {};
        const isOld = change.to === "unknown" && evidence !== undefined && atMs - evidence.sinceMs > 40_000;
        if (!isOld) return journal.advance(intentId, change, atMs);
        const over = {
          to: "not_placed",
          body: body as IntentBody,
          unsend: true,
          hold: { value: "0", isLive: false },
        } as const;
        return journal.advance(intentId, { ...change, ...over }, atMs);
      },
    }),
  };
}

/** Any answer with a status that is no yes is taken for a refusal, though the exchange does not list it as one: the order may be there. */
function takesUnlistedForRefused(): Policy {
  return {
    venue: (venue) =>
      replaced(venue, {
        submit: async (order, beforeSend) => {
          const answer = await venue.submit(order, beforeSend);
          if (answer.ok || answer.fault.reachedVenue !== "unknown" || answer.fault.status === undefined) return answer;
          return failed({ ...answer.fault, code: "EOrder:Insufficient funds", reachedVenue: "yes" });
        },
      }),
  };
}

/** The last is Bithumb's, which has no name of its own for a token that was used. */
const OF_A_SECOND_DELIVERY: readonly string[] = [DUPLICATE, "EAPI:Invalid nonce", "EAPI:Invalid signature"];

/**
 * What a second delivery of the same request is answered, that its id is known or that its nonce was used, is taken for a refusal of the order: the first
 * may have been taken.
 */
function takesDuplicateForRefused(): Policy {
  return {
    venue: (venue) =>
      replaced(venue, {
        submit: async (order, beforeSend) => {
          const answer = await venue.submit(order, beforeSend);
          if (answer.ok || !OF_A_SECOND_DELIVERY.includes(answer.fault.code)) return answer;
          return failed({ ...answer.fault, code: "EOrder:Insufficient funds", reachedVenue: "yes" });
        },
      }),
  };
}

/** What a fill was worth is multiplied as the machine's numbers are. */
function multipliesInFloats(): Policy {
  const worth = ({ price, volume }: { readonly price: string; readonly volume: string }): string =>
    // The defect itself.
    (Number(price) * Number(volume)).toFixed(12); // not money: it is, and wrong
  return {
    venue: (venue) =>
      replaced(venue, {
        fills: async (...asked) => {
          const page = await venue.fills(...asked);
          if (!page.ok) return page;
          return ok({ ...page.value, trades: page.value.trades.map((fill) => ({ ...fill, value: worth(fill) })) });
        },
      }),
  };
}

/** Orders that an answer shows without an id of ours are left out. */
function dropsNameless(): Policy {
  return {
    venue: (venue) =>
      replaced(venue, {
        orders: async (...asked) => {
          const page = await venue.orders(...asked);
          return page.ok
            ? ok({ ...page.value, orders: page.value.orders.filter(({ userref }) => userref !== null) })
            : page;
        },
      }),
  };
}

/** What was under way when the process died is not known to the next one. */
function forgetOnCrash(): Policy {
  const states = SENT.map((state) => `'${state}'`).join(", ");
  return { restart: (storage) => storage.erase(`DELETE FROM intents WHERE state IN (${states})`) };
}

/** Budgets and kill switch are looked at before an order waits for its turn, and not when it leaves. */
function looksBeforeItWaits(): Policy {
  return {
    journal: (journal) => ({
      ...journal,
      begin: async (intentId, send, _admit, now) => journal.begin<never>(intentId, send, () => undefined, now),
    }),
  };
}

/** What a person was to approve is approved by whoever asked for it. */
function selfApproval(): Policy {
  return {
    desk: (desk) => ({
      ...desk,
      place: async (request) => {
        const report = await desk.place(request);
        const { state, intent_id } = report;
        return state === "awaiting_approval" && intent_id !== undefined
          ? approveShown(desk, intent_id, "client")
          : report;
      },
    }),
  };
}

/** The order of a step gets a name of its own each time, which nobody can look for. */
function mintsUserrefs(): Policy {
  let made = 0;
  return {
    plans: (book) => ({
      ...book,
      claim: (claim) => {
        const userref = userrefOfStep(`plan-minted-${String(++made).padStart(12, "0")}`, claim.step);
        const { body } = claim.intent;
        const renamed = { ...body, order: { ...body.order, userref } };
        return book.claim({ ...claim, intent: { ...claim.intent, userref, body: renamed } });
      },
    }),
  };
}

/** Turns and pieces that nobody took in time are made up for. */
function catchesUp(): Policy {
  return {
    plans: (book) => ({
      ...book,
      due: async (account, byMs, limit) => {
        const due = await book.due(account, byMs, limit);
        return due.ok ? ok(due.value.map((step) => ({ ...step, dueAtMs: byMs }))) : due;
      },
    }),
  };
}

/** Of two legs each order has the whole amount: what was sold before does not count. */
function sellsTwoAmounts(): Policy {
  return {
    plans: (book) => ({
      ...book,
      children: async (planId) => {
        const plan = await book.byId(planId);
        return plan.ok && plan.value?.terms.kind === "oco" ? ok([]) : book.children(planId);
      },
    }),
  };
}

/** Whoever is no person takes a protection away as a person does. */
function removesUnasked(): Policy {
  return {
    plans: (book) => ({
      ...book,
      change: ({ asked, ...change }, admit) => {
        const isRemoval =
          asked !== undefined && asked !== null && asked.action !== "resume" && asked.action !== "start";
        if (!isRemoval) return book.change(asked === undefined ? change : { ...change, asked }, admit);
        return book.change({ ...change, to: asked.action === "pause" ? "paused" : "canceled" }, admit);
      },
    }),
  };
}

/** A step is claimed of the plan as it is by then, whatever it was when it was judged. */
function claimsAnyVersion(): Policy {
  return {
    plans: (book) => ({
      ...book,
      claim: async (claim) => {
        const plan = await book.byId(claim.planId);
        return plan.ok ? book.claim({ ...claim, version: plan.value?.version ?? claim.version }) : plan;
      },
    }),
  };
}

/** What an order is held against when it is numbered, with that read otherwise; whoever asks later reads it so too. */
function readingAtBegin(misread: (usage: AccountUsage) => Partial<AccountUsage>): Policy {
  return {
    journal: (journal) => ({
      ...journal,
      begin: (intentId, send, admit, now) =>
        journal.begin(intentId, send, (usage, sent) => admit(Object.assign(usage, misread(usage)), sent), now),
    }),
  };
}

/** An order of a plan is numbered whatever has become of the plan since its step was claimed. */
function beginsWithoutPlan(): Policy {
  return readingAtBegin(({ plan }) =>
    plan ? { plan: { ...plan, state: "active", openStep: plan.step, untilMs: Number.POSITIVE_INFINITY } } : {},
  );
}

/** An order is numbered whatever plans have set aside since it was judged. */
function beginsWithoutReserves(): Policy {
  return readingAtBegin(() => ({ reserved: { value: "0", planIds: [] } }));
}

/** How long a price has stood is told by our own clock, which can be set. */
function holdsByOwnClock(): Policy {
  return {
    clock: (clock) => ({ ...clock, rising: () => clock.now() }),
    venue: (venue) => {
      let first: number | undefined;
      return replaced(venue, {
        clockOffsetMs: () => {
          first ??= venue.clockOffsetMs();
          return first;
        },
      });
    },
  };
}

/** What nobody did is not told. */
function missesInSilence(): Policy {
  return {
    plans: (book) => ({
      ...book,
      change: (change, admit) => book.change(change.dropped === undefined ? change : { ...change, notices: [] }, admit),
    }),
  };
}

/** Makers, as a policy may remember what it did in one schedule. */
export const BROKEN_POLICIES: Readonly<Record<string, () => Policy>> = {
  "new-id-on-retry": newIdOnRetry,
  "same-id-on-retry": sameIdOnRetry,
  "reject-after-queries": rejectAfterQueries,
  "believe-after-40-s": believesAfterAWhile,
  "forget-on-crash": forgetOnCrash,
  "look-before-waiting": looksBeforeItWaits,
  "self-approval": selfApproval,
  "forget-under-way": forgetsWhatWasUnderWay,
  "settled-is-told": takesSettledForTold,
  "unlisted-is-refused": takesUnlistedForRefused,
  "drop-nameless": dropsNameless,
  "duplicate-is-refused": takesDuplicateForRefused,
  "float-in-funds": multipliesInFloats,
  "minted-userref": mintsUserrefs,
  "catch-up": catchesUp,
  "two-amounts": sellsTwoAmounts,
  "removed-unasked": removesUnasked,
  "missed-in-silence": missesInSilence,
  "any-version": claimsAnyVersion,
  "begin-without-plan": beginsWithoutPlan,
  "begin-without-reserves": beginsWithoutReserves,
  "own-clock": holdsByOwnClock,
};

/** The venue with some methods replaced; the client's own need to be called on it. */
export function replaced(venue: Venue, methods: Partial<Venue>): Venue {
  return new Proxy(venue, {
    get: (target, name) => {
      const value: unknown = Reflect.get(methods, name) ?? Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}
