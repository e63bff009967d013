/**
 * Owns the settings of `policy.toml`: a row is a setting, with its form in the file, what the program calls it, its default, and how it is shown. The
 * form of the file, the policy as the desk knows it, the defaults and what tools show follow from the table.
 *
 * Invariants: an unknown setting is refused, never ignored, as it may be a limit that somebody relies on; money is text, never
 * a TOML number.
 *
 * Source: policy.md#precedence, policy.md#modes, policy.md#transfer-policy.
 */
import { z } from "zod";
import { orderType, timeInForce } from "../contract/index.ts";
import { type Notional, notional, type Rate, rate } from "../decimal/index.ts";
import {
  countries,
  HUNDRED,
  krw,
  krwOrOff,
  markets,
  oneOf,
  payees,
  percentage,
  percentageOrOff,
  someOf,
  whole,
} from "./shapes.ts";

interface Setting<Field extends string, Shape extends z.ZodType, Shown> {
  /** Names it as the program does. */
  readonly field: Field;
  readonly shape: Shape;
  /** Holds where the file does not say, on a live exchange. */
  readonly default: z.output<Shape>;
  /** In the file's unit. */
  readonly shown: (value: z.output<Shape>) => Shown;
}

function setting<const Field extends string, Shape extends z.ZodType, Shown>(
  field: Field,
  shape: Shape,
  byDefault: z.output<Shape>,
  shown: (value: z.output<Shape>) => Shown,
): Setting<Field, Shape, Shown> {
  return { field, shape, default: byDefault, shown };
}

const word = (value: string): string => value;
const words = (value: readonly string[]): readonly string[] => value;
const count = (value: number): number => value;
const sum = (value: Notional | "off"): string => value.toString();
const percent = (value: Rate | "off"): string => (value === "off" ? value : value.scale(HUNDRED).toString());

export const SETTINGS = {
  /** `read-only` places nothing; `confirm` requires approval of every order, `bounded` of orders above `approval_over_krw`. */
  mode: setting("mode", oneOf(["read-only", "confirm", "bounded"]), "confirm", word),
  /** Symbols, or "*" for all. */
  markets: setting("markets", markets, ["*"], words),
  order_types: setting("orderTypes", someOf(orderType.options), ["limit", "market"], words),
  times_in_force: setting("timesInForce", someOf(timeInForce.options), ["GTC", "IOC", "FOK"], words),
  max_order_krw: setting("maxOrderKrw", krw, notional("1000000"), sum),
  /** Rolling 24 hours, both sides. */
  max_day_krw: setting("maxDayKrw", krw, notional("5000000"), sum),
  max_open_orders: setting("maxOpenOrders", whole(0, 100_000), 50, count),
  max_open_krw: setting("maxOpenKrw", krw, notional("10000000"), sum),
  /** Realised and unrealised, of the local day, fees in. "off": any loss. */
  max_day_loss_krw: setting("maxDayLossKrw", krwOrOff, "off", sum),
  /** When it is reached: only sells of what is held pass, or trading is halted. */
  day_loss_action: setting("dayLossAction", oneOf(["reduce_only", "halt"]), "reduce_only", word),
  max_orders_per_minute: setting("maxOrdersPerMinute", whole(0, 100_000), 20, count),
  /** "off": a limit order may have any price, also where there is no book to compare it with. */
  price_collar_pct: setting("priceCollar", percentageOrOff, rate("0.05"), percent),
  /** "off": a market order may take whatever the book holds. */
  max_slippage_pct: setting("maxSlippage", percentageOrOff, rate("0.01"), percent),
  approval_over_krw: setting("approvalOverKrw", krw, notional("0"), sum),
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

type Settings = typeof SETTINGS;
export type SettingName = keyof Settings;

/** Say what a person allows of one family of transfers. */
export interface TransferRules {
  readonly maxKrw: Notional;
  /** Rolling 24 hours. */
  readonly maxDayKrw: Notional;
  /** In mode `bounded`, approval is required above this. */
  readonly approvalOverKrw: Notional;
}

export interface RemittanceRules extends TransferRules {
  readonly countries: readonly string[];
  /** `BANKCODE/ACCOUNT`. Undefined: any beneficiary, with a person's approval every time. */
  readonly beneficiaries: readonly string[] | undefined;
}

/** `policy.toml` as exact numbers. Rates are fractions: 0.05 is a setting of "5" percent. */
export type Policy = {
  readonly [Name in SettingName as Settings[Name]["field"]]: z.output<Settings[Name]["shape"]>;
} & {
  /** Absent: nothing is paid. */
  readonly payments?: TransferRules | undefined;
  /** Absent: nothing is remitted. */
  readonly remittances?: RemittanceRules | undefined;
};

/** Holds what a file says, and nothing else. */
export type GivenSettings = Partial<Policy>;

/** Every setting as the file would say it. */
export type ShownSettings = { readonly [Name in SettingName]: ReturnType<Settings[Name]["shown"]> };

const ROWS = Object.entries(SETTINGS) as readonly (readonly [SettingName, Setting<string, z.ZodType, unknown>])[];

export const DEFAULTS = Object.fromEntries(ROWS.map(([, row]) => [row.field, row.default])) as Policy;

export function shownSettings(policy: Policy): ShownSettings {
  const values = policy as Readonly<Record<string, unknown>>;
  return Object.fromEntries(ROWS.map(([name, { field, shown }]) => [name, shown(values[field])])) as ShownSettings;
}

/** Both limits have to be given: a default would be a limit that nobody set. */
const transferFields = { max_krw: krw, max_day_krw: krw, approval_over_krw: krw.default(() => notional("0")) };
const paymentTable = z.strictObject(transferFields);
const remittanceTable = z.strictObject({ ...transferFields, countries, beneficiaries: payees.optional() });

/** Settings that stand under a header of their own. */
export const SECTIONS: Readonly<Record<string, z.ZodObject>> = { payments: paymentTable, remittances: remittanceTable };

function limitsOf({ max_krw, max_day_krw, approval_over_krw }: z.output<typeof paymentTable>): TransferRules {
  return { maxKrw: max_krw, maxDayKrw: max_day_krw, approvalOverKrw: approval_over_krw };
}

/** The file as a whole, in which everything may be left out. */
export const policyTable = z
  .strictObject({
    ...(Object.fromEntries(ROWS.map(([name, { shape }]) => [name, shape.optional()])) as Record<
      SettingName,
      z.ZodOptional<z.ZodType>
    >),
    payments: paymentTable.transform(limitsOf).optional(),
    remittances: remittanceTable
      .transform((table) => ({ ...limitsOf(table), countries: table.countries, beneficiaries: table.beneficiaries }))
      .optional(),
  })
  .transform(({ payments, remittances, ...table }): GivenSettings => {
    const given = ROWS.flatMap(([name, { field }]) =>
      table[name] === undefined ? [] : [[field, table[name]] as const],
    );
    return {
      ...(Object.fromEntries(given) as GivenSettings),
      ...(payments === undefined ? {} : { payments }),
      ...(remittances === undefined ? {} : { remittances }),
    };
  });

/** Lists them by the names of the file. */
export const SETTING_NAMES: readonly string[] = [...Object.keys(SETTINGS), ...Object.keys(SECTIONS)];
