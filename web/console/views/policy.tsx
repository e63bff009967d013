/** What hoga may do without asking, how much of it is used and when it is free again. The page shows it; the file says it. */
import type { ConsoleEvents } from "../../../src/serve/console/console-api.ts";
import { quantityText, shareOf, valueText } from "../figures.ts";
import { Time, useUnit, Value } from "../parts/figure.tsx";
import { ReadingNotice } from "../parts/notice.tsx";
import { useConsole } from "../state/console.ts";
import { useReading } from "../state/reading.ts";

type Limit = ConsoleEvents["status"]["limits"][number];

/** Limits that count orders; the others are sums. */
const COUNTS: readonly string[] = ["orders_per_minute", "open_orders"];

export function PolicyView() {
  const { live, words } = useConsole();
  const { say } = words.value;
  const status = live.status.value;
  return (
    <>
      <h1>{say("nav.policy")}</h1>
      {status === undefined && <p class="hint loading">{say("page.loading")}</p>}
      {status !== undefined && (
        <>
          <dl class="tiles">
            <div>
              <dt>{say("policy.largest_buy")}</dt>
              <dd>
                <Value of={status.largest_buy} />
              </dd>
            </div>
            <div>
              <dt>{say("policy.mode")}</dt>
              <dd>{modeText(status.mode, say)}</dd>
            </div>
          </dl>
          <section class="panel">
            <h2>{say("policy.budgets")}</h2>
            <ul class="limits">
              {status.limits.map((limit) => (
                <LimitBar key={limit.rule} of={limit} />
              ))}
            </ul>
          </section>
        </>
      )}
      <InForce />
    </>
  );
}

type Say = ReturnType<typeof useConsole>["words"]["value"]["say"];

function modeText(mode: string | null, say: Say): string {
  switch (mode) {
    case "read-only":
      return say("mode.read-only");
    case "confirm":
      return say("mode.confirm");
    case "bounded":
      return say("mode.bounded");
    case null:
      return say("mode.none");
    default:
      return mode;
  }
}

function ruleText(rule: string, say: Say): string {
  switch (rule) {
    case "order_size":
      return say("rule.order_size");
    case "orders_per_minute":
      return say("rule.orders_per_minute");
    case "open_orders":
      return say("rule.open_orders");
    case "open_exposure":
      return say("rule.open_exposure");
    case "day_budget":
      return say("rule.day_budget");
    case "day_loss":
      return say("rule.day_loss");
    default:
      return rule;
  }
}

function LimitBar({ of: { rule, limit, used, left, frees_at } }: { readonly of: Limit }) {
  const { say } = useConsole().words.value;
  const unit = useUnit();
  const figure = (text: string | null): string => {
    if (text === null) return say("policy.uncounted");
    return COUNTS.includes(rule) ? quantityText(text) : valueText(text, unit);
  };
  const share = used === null ? 1 : shareOf(used, limit);
  const name = ruleText(rule, say);
  return (
    <li class={left === null || share >= 1 ? "limit full" : share > 0.8 ? "limit near" : "limit"}>
      <span class="limit-name">{name}</span>
      <span class="limit-figures">
        {figure(used)} / {figure(limit)}
      </span>
      <meter
        class="limit-bar"
        aria-label={name}
        aria-valuetext={say("policy.used", { used: figure(used), limit: figure(limit) })}
        min={0}
        max={1}
        value={share}
      />
      <span class="hint">
        {left === null ? say("policy.blocked") : say("policy.left", { left: figure(left) })}
        {frees_at !== null && (
          <>
            {" · "}
            {say("policy.frees")} <Time at={frees_at} />
          </>
        )}
      </span>
    </li>
  );
}

/** As the file has it, by the names that it uses there. */
function InForce() {
  const { words } = useConsole();
  const { say } = words.value;
  const unit = useUnit();
  const reading = useReading("policy", {}, ["policy"]);
  const entries = Object.entries(reading.value ?? {}).flatMap(([name, value]) => named(name, value, unit));
  return (
    <section class="panel">
      <h2>{say("policy.in_force")}</h2>
      <p class="hint">{say("policy.file")}</p>
      <ReadingNotice of={reading} />
      <dl class="facts grid settings">
        {entries.map(([name, shown]) => (
          <div key={name}>
            <dt>
              <code>
                <Name of={name} />
              </code>
            </dt>
            <dd>{shown}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

/** The name of a setting, which a narrow column has in several lines: between its words, and within none. */
function Name({ of }: { readonly of: string }) {
  return (
    <>
      {of.split(/(?<=[._])/).map((word) => (
        <>
          <wbr />
          {word}
        </>
      ))}
    </>
  );
}

/** The name of a setting says whether it is a sum. */
function named(name: string, value: unknown, unit: string): readonly (readonly [string, string])[] {
  if (typeof value === "object" && value !== null && !Array.isArray(value))
    return Object.entries(value).flatMap(([inner, of]) => named(`${name}.${inner}`, of, unit));
  const text = Array.isArray(value) ? value.join(", ") : String(value);
  return [[name, name.endsWith(`_${unit.toLowerCase()}`) && /^\d/.test(text) ? valueText(text, unit) : text]];
}
