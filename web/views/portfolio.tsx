/** The portfolio: what it is worth, what it earned in a period, each asset, and its days where they were asked for. */
import type { PortfolioAsset, PortfolioView, Shortened } from "../../src/mcp/person/view-data.ts";
import { Badge, Failure, money, Refresh, useFresh } from "./parts.tsx";
import type { ViewProps } from "./view-props.ts";
import type { ViewWords } from "./words/view-words.ts";

const PERIODS = ["today", "7d", "30d", "year", "all"] as const;
type Period = (typeof PERIODS)[number];

export function Portfolio(props: ViewProps) {
  const { words } = props;
  const { say, shared } = words;
  const { shown, refresh, state } = useFresh(props, "get_portfolio");
  const portfolio = shown.structuredContent as (PortfolioView & Shortened) | undefined;
  if (portfolio?.assets === undefined) return <Failure {...props} />;
  const { totals, assets, period, unit, equity = [], shortened } = portfolio;
  const warnings = shortened === undefined ? portfolio.warnings : [...portfolio.warnings, shortened];
  const name = say("folio.name", { account: portfolio.account });
  const choose = (chosen: Period) => void refresh({ period: chosen, from: undefined, to: undefined });
  return (
    <article aria-label={name}>
      <header>
        <h1>{name}</h1>
        <Badge words={words} environment={portfolio.environment} />
      </header>
      <dl class="tiles">
        <Tile name={say("folio.value")} unit={unit} sum={totals.value} />
        <Tile name={say("folio.unrealized")} unit={unit} sum={totals.unrealized} isGain />
        <Tile name={say("folio.realized")} unit={unit} sum={totals.realized} isGain />
        <Tile name={say("folio.fees")} unit={unit} sum={totals.fees} />
      </dl>
      <Shares words={words} assets={assets} />
      {equity.length > 1 && <Days words={words} equity={equity} />}
      <table class="assets">
        <thead>
          <tr>
            {(["folio.asset", "folio.volume", "folio.cost", "folio.value", "folio.unrealized"] as const).map(
              (column) => (
                <th scope="col" key={column}>
                  {say(column)}
                </th>
              ),
            )}
          </tr>
        </thead>
        <tbody>
          {assets.map((asset) => (
            <AssetRow key={asset.asset} words={words} asset={asset} unit={unit} />
          ))}
        </tbody>
      </table>
      {warnings.length > 0 && (
        <ul class="box warn">
          {warnings.map((warning) => (
            <li key={warning}>{shared.told(warning)}</li>
          ))}
        </ul>
      )}
      <p>
        <label>
          {say("folio.period")}{" "}
          <select
            value={period.name ?? ""}
            disabled={state === "refreshing"}
            onChange={({ currentTarget }) => choose(currentTarget.value as Period)}
          >
            {period.name === null && <option value="">{periodText(period, words)}</option>}
            {PERIODS.map((each) => (
              <option key={each} value={each}>
                {say(`period.${each}`)}
              </option>
            ))}
          </select>
        </label>
      </p>
      <Refresh words={words} state={state} time={portfolio.as_of} onRefresh={() => void refresh()} />
    </article>
  );
}

function periodText({ from, to }: PortfolioView["period"], { shared }: ViewWords): string {
  return `${from === null ? "" : shared.when(from)} – ${shared.when(to)}`;
}

interface TileProps {
  readonly name: string;
  /** Null: not known yet. */
  readonly sum: string | null;
  readonly unit: string;
  readonly isGain?: boolean;
}

function Tile({ name, sum, unit, isGain = false }: TileProps) {
  return (
    <div>
      <dt>{name}</dt>
      <dd class={isGain && sum !== null ? directionOf(sum) : ""}>{sum === null ? "–" : sumText(sum, unit, isGain)}</dd>
    </div>
  );
}

interface RowProps {
  readonly words: ViewWords;
  readonly asset: PortfolioAsset;
  readonly unit: string;
}

function AssetRow({ words: { shared }, asset: line, unit }: RowProps) {
  const { asset, volume, average_cost: cost, value, unrealized: gain, unrealized_pct: percent } = line;
  return (
    <tr>
      <th scope="row">{asset}</th>
      <td>{asset === unit ? sumText(volume, unit) : shared.amount(volume, "")}</td>
      <td>{cost === null ? "–" : sumText(cost, unit)}</td>
      <td>{value === null ? "–" : sumText(value, unit)}</td>
      <td class={gain === null ? "" : directionOf(gain)}>
        {gain === null ? "–" : sumText(gain, unit, true)}
        {gain !== null && percent !== null && <small> {signed(percent.replace(/(\.\d\d)\d+$/, "$1"))}%</small>}
      </td>
    </tr>
  );
}

function directionOf(figure: string): "up" | "down" | "" {
  if (!/[1-9]/.test(figure)) return "";
  return figure.startsWith("-") ? "down" : "up";
}

function signed(figure: string): string {
  return directionOf(figure) === "up" ? `+${figure}` : figure;
}

function sumText(sum: string, unit: string, isGain = false): string {
  const shown = money(sum, unit);
  return isGain ? signed(shown) : shown;
}

/** As many as there are colours. */
const SHARES_MAX = 6;

function Shares({ words: { say }, assets }: { readonly words: ViewWords; readonly assets: readonly PortfolioAsset[] }) {
  const valued = assets
    .map(({ asset, value }) => ({ asset, value: sizeOf(value) }))
    .filter(({ value }) => value > 0)
    .sort((one, other) => other.value - one.value);
  const all = valued.reduce((sum, { value }) => sum + value, 0);
  const shares = valued.slice(0, SHARES_MAX).map(({ asset, value }) => ({ asset, percent: (value / all) * 100 }));
  if (shares.length === 0) return null;
  const text = shares.map(({ asset, percent }) => `${asset} ${percent.toFixed(1)}%`);
  return (
    <figure>
      <div class="shares" aria-hidden="true">
        {shares.map(({ asset, percent }, index) => (
          <span key={asset} class={`share${index}`} style={{ width: `${percent}%` }} />
        ))}
      </div>
      <figcaption>
        <span class="hidden">{say("folio.shares", { shares: text.join(", ") })}</span>
        {text.map((share, index) => (
          <span key={share} aria-hidden="true">
            <i class={`dot share${index}`} /> {share}
          </span>
        ))}
      </figcaption>
    </figure>
  );
}

const [WIDTH, HEIGHT] = [600, 110];

function Days({
  words: { say },
  equity,
}: {
  readonly words: ViewWords;
  readonly equity: NonNullable<PortfolioView["equity"]>;
}) {
  const values = equity.map(({ value }) => sizeOf(value));
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const points = values.map((value, day) => {
    const x = (day / (values.length - 1)) * WIDTH;
    const y = HEIGHT - ((value - low) / (high - low || 1)) * HEIGHT;
    return `${x.toFixed(1)},${y.toFixed(1)}`;
  });
  const label = say("folio.equity", { from: equity[0]?.date ?? "", to: equity.at(-1)?.date ?? "" });
  return (
    <figure>
      <svg
        class="days"
        viewBox={`0 -4 ${WIDTH} ${HEIGHT + 8}`}
        preserveAspectRatio="none"
        role="img"
        aria-label={label}
      >
        <polyline points={points.join(" ")} />
      </svg>
      <figcaption>{label}</figcaption>
    </figure>
  );
}

function sizeOf(sum: string | null): number {
  return sum === null ? 0 : Number(sum); // not money: a width or a height
}
