/**
 * Owns the settings of `policy.toml`: a row is a setting, with its form in the file, what the program calls it, its default, and how it is shown. The
 * form of the file, the policy as the desk knows it, the defaults and what tools show follow from the table.
 *
 * Invariants: an unknown setting is refused, never ignored, as it may be a limit that somebody relies on; money is text, never
 * a TOML number, and the name of a sum says in which unit it is, so that a figure of one unit never counts in another.
 *
 * Source: policy.md#precedence, policy.md#modes, policy.md#transfer-policy, policy.md#plans; decision 0091, decision 0106.
 */
import { z } from "zod";
import { orderType, timeInForce, UNIT_DECIMALS, type Unit } from "../contract/index.ts";
import { inUnit, type Rate, rate, type Value } from "../decimal/index.ts";
import {
  countries,
  HUNDRED,
  markets,
  oneOf,
  payees,
  percentage,
  percentageOrOff,
  someOf,
  sumIn,
  sumOrOff,
  whole,
} from "./shapes.ts";

interface Setting<Field extends string, Shape extends z.ZodType, Shown> {
  readonly field: Field;
  /** By the unit of account, where it is a sum. */
  readonly shape: (unit: Unit) => Shape;
  /** Holds where the file does not say, on a live exchange. */
  readonly default: (unit: Unit) => z.output<Shape>;
  /** In the file's unit. */
  readonly shown: (value: z.output<Shape>) => Shown;
}

function setting<const Field extends string, Shape extends z.ZodType, Shown>(
  field: Field,
  shape: Shape,
  byDefault: z.output<Shape>,
  shown: (value: z.output<Shape>) => Shown,
): Setting<Field, Shape, Shown> {
  return { field, shape: () => shape, default: () => byDefault, shown };
}

/** Of a unit that is worth about a dollar, in one of KRW. */
const DOLLARS_PER_WON = rate("0.0005");

function inWon(sum: string): (unit: Unit) => Value {
  return (unit) => (unit === "KRW" ? inUnit(sum) : inUnit(sum).scale(DOLLARS_PER_WON));
}

function sumSetting<const Field extends string, Shape extends z.ZodType<Value | "off">>(
  field: Field,
  shape: (unit: Unit) => Shape,
  byDefault: (unit: Unit) => z.output<Shape>,
) {
  return { field, shape, default: byDefault, shown: sum, isSum: true } as const;
}

const word = (value: string): string => value;
const words = (value: readonly string[]): readonly string[] => value;
const count = (value: number): number => value;
const sum = (value: Value | "off"): string => value.toString();
const percent = (value: Rate | "off"): string => (value === "off" ? value : value.scale(HUNDRED).toString());

/** Sums stand without their unit here: `max_order` is `max_order_krw` in the file of a profile that counts in KRW. */
const SETTINGS = {
  /** `read-only` places nothing; `confirm` requires approval of every order, `bounded` of orders above `approval_over`. */
  mode: setting("mode", oneOf(["read-only", "confirm", "bounded"]), "confirm", word),
  /** Symbols, or "*" for all. */
  markets: setting("markets", markets, ["*"], words),
  order_types: setting("orderTypes", someOf(orderType.options), ["limit", "market"], words),
  times_in_force: setting("timesInForce", someOf(timeInForce.options), ["GTC", "IOC", "FOK"], words),
  max_order: sumSetting("maxOrder", sumIn, inWon("1000000")),
  /** Rolling 24 hours, both sides. */
  max_day: sumSetting("maxDay", sumIn, inWon("5000000")),
  max_open_orders: setting("maxOpenOrders", whole(0, 100_000), 50, count),
  max_open: sumSetting("maxOpen", sumIn, inWon("10000000")),
  /** Realised and unrealised, of the local day, fees in. "off": any loss. */
  max_day_loss: sumSetting("maxDayLoss", sumOrOff, () => "off"),
  /** When it is reached: only sells of what is held pass, or trading is halted. */
  day_loss_action: setting("dayLossAction", oneOf(["reduce_only", "halt"]), "reduce_only", word),
  max_orders_per_minute: setting("maxOrdersPerMinute", whole(0, 100_000), 20, count),
  /** "off": a limit order may have any price, also where there is no book to compare it with. */
  price_collar_pct: setting("priceCollar", percentageOrOff, rate("0.05"), percent),
  /** "off": a market order may take whatever the book holds. */
  max_slippage_pct: setting("maxSlippage", percentageOrOff, rate("0.01"), percent),
  approval_over: sumSetting("approvalOver", sumIn, inWon("0")),
  approval_ttl_s: setting(
    "approvalTtlMs",
    whole(1, 86_400).transform((seconds) => seconds * 1000),
    300_000,
    (ms) => ms / 1000,
  ),
  /** Bounds how far the price may move until an approval lapses. */
  approval_drift_pct: setting("approvalDrift", percentage, rate("0.005"), percent),
  /** Who may approve. A program that answers its client's forms by itself could approve there, so the client is not among them. */
  approve_by: setting("approveBy", someOf(["client", "passkey", "pin"]), ["passkey", "pin"], words),
  book_max_age_ms: setting("bookMaxAgeMs", whole(1, 600_000), 3000, count),
  /** A sell of what is held that goes over a limit of money. What was bought in several orders could else not be sold in one. */
  over_limit_sells: setting("overLimitSells", oneOf(["approve", "deny"]), "approve", word),
};

/** What plans may do, under the header `[plans]`. */
const PLAN_SETTINGS = {
  /** `bounded`: on a practice exchange a plan whose worst case is at most `approval_over` needs no person. */
  approve: setting("approve", oneOf(["always", "bounded"]), "always", word),
  /** What an assistant's cancel, pause or replacement of a protection does: `ask` waits for a person. */
  stop_removal: setting("stopRemoval", oneOf(["ask", "allow"]), "ask", word),
  /** Open ones, alerts apart. */
  max_plans: setting("maxPlans", whole(0, 1_000), 20, count),
  max_alerts: setting("maxAlerts", whole(0, 1_000), 50, count),
  /** Worst case of one plan over its life; protections are not counted. */
  max_plan: sumSetting("maxPlan", sumIn, inWon("5000000")),
  max_days: setting("maxDays", whole(1, 366), 90, count),
  /** Below the best bid of others. */
  protective_slippage_pct: setting("protectiveSlippage", percentage, rate("0.03"), percent),
  /** No floor lies further below its trigger; also the default one. */
  protective_floor_pct: setting("protectiveFloor", percentage, rate("0.1"), percent),
  /** A turn is taken until so long after it was due. */
  late_s: setting(
    "lateMs",
    whole(1, 86_400).transform((seconds) => seconds * 1000),
    3_600_000,
    (ms) => ms / 1000,
  ),
};

type Settings = typeof SETTINGS;
type PlanSettings = typeof PLAN_SETTINGS;
export type SettingStem = keyof Settings;
export type SumName = {
  [Name in SettingStem]: Settings[Name] extends { readonly isSum: true } ? Name : never;
}[SettingStem];

/** Say what a person allows of one family of transfers. */
export interface TransferRules {
  readonly max: Value;
  /** Rolling 24 hours. */
  readonly maxDay: Value;
  /** In mode `bounded`, approval is required above this. */
  readonly approvalOver: Value;
}

export interface RemittanceRules extends TransferRules {
  readonly countries: readonly string[];
  /** `BANKCODE/ACCOUNT`. Undefined: any beneficiary, with a person's approval every time. */
  readonly beneficiaries: readonly string[] | undefined;
}

/** Say what plans may do. */
export type PlanRules = {
  readonly [Name in keyof PlanSettings as PlanSettings[Name]["field"]]: z.output<
    ReturnType<PlanSettings[Name]["shape"]>
  >;
};

/** `policy.toml` as exact numbers. Rates are fractions: 0.05 is a setting of "5" percent. */
export type Policy = {
  readonly [Name in SettingStem as Settings[Name]["field"]]: z.output<ReturnType<Settings[Name]["shape"]>>;
} & {
  /** The unit of account, that every sum is in. */
  readonly unit: Unit;
  /** Absent: nothing is paid. */
  readonly payments?: TransferRules | undefined;
  /** Absent: nothing is remitted. */
  readonly remittances?: RemittanceRules | undefined;
  readonly plans: PlanRules;
};

/** Holds what a file says, and nothing else. */
export type GivenSettings = Partial<Omit<Policy, "unit" | "plans">> & { readonly plans?: Partial<PlanRules> };

/** Every setting as the file would say it. */
export type ShownSettings = {
  readonly [Name in Exclude<SettingStem, SumName>]: ReturnType<Settings[Name]["shown"]>;
} & { readonly [Name in SumSettingName]?: string };

export type SumSettingName = `${SumName}_${Lowercase<Unit>}`;

/** Those of a section, by their names in the file. */
export type ShownSection = Readonly<Record<string, string | number>>;

/** Names a sum as the file does. */
export function sumSettingName<Name extends SumName | "max" | "max_plan">(
  name: Name,
  unit: Unit,
): `${Name}_${Lowercase<Unit>}` {
  return `${name}_${unit.toLowerCase() as Lowercase<Unit>}`;
}

type Row = readonly [SettingStem, Setting<string, z.ZodType, unknown>];
const ROWS = Object.entries(SETTINGS) as unknown as readonly Row[];
type PlanRow = readonly [keyof PlanSettings, Row[1]];
const PLAN_ROWS = Object.entries(PLAN_SETTINGS) as unknown as readonly PlanRow[];

/** Names one of `[plans]` as the file does. */
export function planSettingName(stem: keyof PlanSettings, unit: Unit): string {
  return stem === "max_plan" ? sumSettingName(stem, unit) : stem;
}

/** Names any of them as the file does. */
export function settingName(stem: SettingStem, unit: Unit): keyof ShownSettings {
  return "isSum" in SETTINGS[stem] ? sumSettingName(stem as SumName, unit) : (stem as Exclude<SettingStem, SumName>);
}

/** They are asked for whenever the policy is read, which is several times for one order. */
const defaults = new Map<Unit, Policy>();

export function defaultsIn(unit: Unit): Policy {
  const known = defaults.get(unit);
  if (known !== undefined) return known;
  const byDefault = (rows: readonly (Row | PlanRow)[]) =>
    Object.fromEntries(rows.map(([, row]) => [row.field, row.default(unit)]));
  const made = { unit, ...byDefault(ROWS), plans: byDefault(PLAN_ROWS) } as unknown as Policy;
  defaults.set(unit, made);
  return made;
}

/** One of them as the file would say it. */
export function shownSetting(stem: SettingStem, policy: Policy): string | number | readonly string[] {
  const { field, shown } = SETTINGS[stem] as Row[1];
  return shown(policy[field as keyof Policy]) as string | number | readonly string[];
}

export function shownSettings(policy: Policy): ShownSettings {
  const shown = ROWS.map(([stem]) => [settingName(stem, policy.unit), shownSetting(stem, policy)]);
  return Object.fromEntries(shown) as ShownSettings;
}

export function shownPlanSettings({ plans, unit }: Pick<Policy, "plans" | "unit">): ShownSection {
  const shown = PLAN_ROWS.map(([stem, row]) => [
    planSettingName(stem, unit),
    row.shown(plans[row.field as keyof PlanRules]),
  ]);
  return Object.fromEntries(shown) as ShownSection;
}

/** The sums of a section of transfers. Both limits have to be given: a default would be a limit that nobody set. */
function transferSums(unit: Unit) {
  const sums = { max: sumIn(unit), max_day: sumIn(unit), approval_over: sumIn(unit).default(() => inUnit("0")) };
  return Object.fromEntries(
    Object.entries(sums).map(([name, shape]) => [sumSettingName(name as keyof typeof sums, unit), shape]),
  );
}

function sumsOf(table: Readonly<Record<string, unknown>>, unit: Unit): TransferRules {
  const sumNamed = (name: "max" | "max_day" | "approval_over") => table[sumSettingName(name, unit)] as Value;
  return { max: sumNamed("max"), maxDay: sumNamed("max_day"), approvalOver: sumNamed("approval_over") };
}

/** Settings that stand under a header of their own. */
export function sectionsIn(unit: Unit): Readonly<Record<"payments" | "remittances" | "plans", z.ZodObject>> {
  const sums = transferSums(unit);
  const ofPlans = PLAN_ROWS.map(([stem, row]) => [planSettingName(stem, unit), row.shape(unit).optional()]);
  return {
    plans: z.strictObject(Object.fromEntries(ofPlans) as Record<string, z.ZodType>),
    payments: z.strictObject(sums),
    remittances: z.strictObject({ ...sums, countries, beneficiaries: payees.optional() }),
  };
}

function planRulesOf(table: Readonly<Record<string, unknown>>, unit: Unit): Partial<PlanRules> {
  const given = PLAN_ROWS.flatMap(([stem, { field }]) => {
    const value = table[planSettingName(stem, unit)];
    return value === undefined ? [] : [[field, value]];
  });
  return Object.fromEntries(given) as Partial<PlanRules>;
}

/** The file as a whole, in which everything may be left out. */
export function policyTable(unit: Unit) {
  const { payments, remittances, plans } = sectionsIn(unit);
  const rows = ROWS.map((row) => ({ name: settingName(row[0], unit), field: row[1].field, shape: row[1].shape(unit) }));
  return z
    .strictObject({
      ...Object.fromEntries(rows.map(({ name, shape }) => [name, shape.optional()])),
      payments: payments.transform((table) => sumsOf(table, unit)).optional(),
      remittances: remittances
        .transform((table) => ({
          ...sumsOf(table, unit),
          countries: table["countries"],
          beneficiaries: table["beneficiaries"],
        }))
        .optional(),
      plans: plans.transform((table) => planRulesOf(table, unit)).optional(),
    })
    .transform((table): GivenSettings => {
      const values = table as Readonly<Record<string, unknown>>;
      const sections = ["payments", "remittances", "plans"].map((name) => ({ name, field: name }));
      const named = [...rows, ...sections];
      const given = named.flatMap(({ name, field }) => (values[name] === undefined ? [] : [[field, values[name]]]));
      return Object.fromEntries(given) as GivenSettings;
    });
}

/** Lists them by the names of the file. */
export function settingNames(unit: Unit): readonly string[] {
  return [...ROWS.map((row) => settingName(row[0], unit)), ...Object.keys(sectionsIn(unit))];
}

const SUM_IN_UNIT = new RegExp(`^(.+)_(${Object.keys(UNIT_DECIMALS).join("|").toLowerCase()})$`);

/** @returns what a setting is called in this unit, where the name is that of the same sum in another one */
export function nameInUnit(key: string, unit: Unit, known: readonly string[]): string | undefined {
  const [, stem] = SUM_IN_UNIT.exec(key.toLowerCase()) ?? [];
  const name = stem === undefined ? undefined : `${stem}_${unit.toLowerCase()}`;
  return name !== key && name !== undefined && known.includes(name) ? name : undefined;
}
