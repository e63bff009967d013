/** What is held, what it cost and is worth, and what a period earned. */
import { useState } from "preact/hooks";
import type { ConsolePortfolio } from "../../../src/serve/console/console-api.ts";
import { quantityText, valueText } from "../figures.ts";
import { Choice } from "../parts/choice.tsx";
import { Average, Gain, Time, useUnit, Value } from "../parts/figure.tsx";
import { Notice, ReadingNotice } from "../parts/notice.tsx";
import { PicturePlace } from "../parts/picture.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { useConsole } from "../state/console.ts";
import { useReading } from "../state/reading.ts";

const PERIODS = ["today", "7d", "30d", "year", "all"] as const;
const EVERY_MS = 10_000;
type Asset = ConsolePortfolio["assets"][number];

export function PortfolioView() {
  const { words } = useConsole();
  const { say, shared } = words.value;
  const [period, setPeriod] = useState<(typeof PERIODS)[number]>("30d");
  const reading = useReading("portfolio", { period }, ["portfolio", "fills"], { everyMs: EVERY_MS });
  const portfolio = reading.value;
  const unit = useUnit();
  return (
    <>
      <h1>{say("nav.portfolio")}</h1>
      <p class="bar-of-tools">
        <Choice
          label={say("portfolio.period")}
          choices={PERIODS.map((name) => [name, say(`period.${name}`)])}
          chosen={period}
          onChoose={setPeriod}
        />
        {portfolio !== undefined && (
          <span class="hint">
            {say("portfolio.as_of")} <Time at={portfolio.as_of} />
          </span>
        )}
      </p>
      <ReadingNotice of={reading} />
      {portfolio !== undefined && <Totals of={portfolio.totals} />}
      {portfolio !== undefined && (
        <section class="panel">
          <h2>{say("portfolio.equity")}</h2>
          {(portfolio.equity?.length ?? 0) > 1 ? (
            <PicturePlace
              of={period}
              label={say("portfolio.equity_label", {
                from: portfolio.equity?.[0]?.date ?? "",
                first: valueText(portfolio.equity?.[0]?.value, unit),
                last: valueText(portfolio.equity?.at(-1)?.value, unit),
              })}
              data={portfolio.equity}
              make={(library, host) => library.equityPicture(host, unit)}
            />
          ) : (
            <p class="hint">{say("portfolio.one_day")}</p>
          )}
        </section>
      )}
      {portfolio !== undefined && <Assets assets={portfolio.assets} />}
      {portfolio?.warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {shared.told(warning)}
        </Notice>
      ))}
    </>
  );
}

function Totals({ of }: { readonly of: ConsolePortfolio["totals"] }) {
  const { say } = useConsole().words.value;
  return (
    <dl class="tiles">
      <div>
        <dt>{say("portfolio.value")}</dt>
        <dd>
          <Value of={of.value} />
        </dd>
      </div>
      <div>
        <dt>{say("portfolio.cost")}</dt>
        <dd>
          <Value of={of.cost} />
        </dd>
      </div>
      <div>
        <dt>{say("portfolio.unrealized")}</dt>
        <dd>
          <Gain of={of.unrealized} />
        </dd>
      </div>
      <div>
        <dt>{say("portfolio.realized")}</dt>
        <dd>
          <Gain of={of.realized} />
        </dd>
      </div>
      <div>
        <dt>{say("portfolio.fees")}</dt>
        <dd>
          <Value of={of.fees} />
        </dd>
      </div>
    </dl>
  );
}

function Assets({ assets }: { readonly assets: readonly Asset[] }) {
  const unit = useUnit();
  const { words } = useConsole();
  const { say } = words.value;
  const columns: readonly Column<Asset>[] = [
    { head: say("portfolio.asset"), isName: true, cell: ({ asset }) => asset },
    {
      head: say("portfolio.held"),
      isFigure: true,
      cell: ({ volume, asset }) => (asset === unit ? valueText(volume, asset) : quantityText(volume)),
    },
    {
      head: say("portfolio.average_cost"),
      isFigure: true,
      isWide: true,
      cell: ({ average_cost }) => <Average of={average_cost} />,
    },
    { head: say("portfolio.value"), isFigure: true, cell: ({ value }) => <Value of={value} /> },
    {
      head: say("portfolio.unrealized"),
      isFigure: true,
      cell: ({ unrealized, unrealized_pct }) => <Gain of={unrealized} pct={unrealized_pct} />,
    },
    {
      head: say("portfolio.realized"),
      isFigure: true,
      isWide: true,
      cell: ({ realized }) => <Gain of={realized} />,
    },
  ];
  return (
    <section class="panel">
      <Table
        caption={say("portfolio.assets")}
        columns={columns}
        rows={assets}
        keyOf={({ asset }) => asset}
        none={say("portfolio.nothing")}
      />
    </section>
  );
}
