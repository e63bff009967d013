/** The audit log, newest first, and whether its chain holds. What stands in it is data of others too: shown as text. */
import { useState } from "preact/hooks";
import type { ConsoleAudit } from "../../../src/serve/console/console-api.ts";
import { Choice } from "../parts/choice.tsx";
import { Time } from "../parts/figure.tsx";
import { ReadingNotice } from "../parts/notice.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { useConsole } from "../state/console.ts";
import { useReading } from "../state/reading.ts";
import { hashOf } from "../state/route.ts";
import { eventText, stateText } from "../words/said.ts";

type Entry = ConsoleAudit["entries"][number];

const SIZES = ["50", "200", "500"] as const;

export function AuditView() {
  const { words } = useConsole();
  const { say } = words.value;
  const [size, setSize] = useState<(typeof SIZES)[number]>("50");
  const reading = useReading("audit", { limit: size }, ["audit"]);
  return (
    <>
      <h1>{say("nav.audit")}</h1>
      <section class="panel">
        <p class="bar-of-tools">
          <Choice
            label={say("audit.size")}
            choices={SIZES.map((each) => [each, say("audit.last", { count: each })])}
            chosen={size}
            onChoose={setSize}
          />
        </p>
        <ReadingNotice of={reading} />
        {reading.value !== undefined && (
          <>
            <ChainState chain={reading.value.chain} />
            <AuditRows entries={reading.value.entries} caption={say("nav.audit")} />
          </>
        )}
      </section>
    </>
  );
}

export function ChainState({ chain }: { readonly chain: ConsoleAudit["chain"] }) {
  const { say } = useConsole().words.value;
  if (chain === null) return <p class="notice plain">{say("audit.checking")}</p>;
  return (
    <p class={`notice ${chain.holds ? "good" : "bad"}`}>
      {say(chain.holds ? "audit.holds" : "audit.broken")} {chain.message}{" "}
      <span class="hint">
        {say("audit.checked")} <Time at={chain.checked_at} />
      </span>
    </p>
  );
}

interface AuditRowsProps {
  readonly entries: readonly Entry[];
  readonly caption: string;
  /** Then nothing has to say of which. */
  readonly isOfOneOrder?: boolean;
}

export function AuditRows({ entries, caption, isOfOneOrder = false }: AuditRowsProps) {
  const { say, shared } = useConsole().words.value;
  const ofOrder: Column<Entry> = {
    head: say("orders.one"),
    cell: ({ orderId, userref }) => {
      const of = orderId ?? userref;
      return of === null ? "–" : <a href={hashOf({ view: "orders", of })}>{userref ?? `${of.slice(0, 8)}…`}</a>;
    },
  };
  const columns: readonly Column<Entry>[] = [
    { head: shared.say("column.seq"), isWide: true, cell: ({ seq }) => seq },
    { head: shared.say("column.time"), cell: ({ time }) => <Time at={time} /> },
    { head: shared.say("column.event"), isName: true, cell: (entry) => <Step of={entry} /> },
    ...(isOfOneOrder ? [] : [ofOrder]),
  ];
  return (
    <Table
      caption={caption}
      isCaptionHidden
      columns={columns}
      rows={entries}
      keyOf={({ seq }) => String(seq)}
      none={shared.say("audit.empty")}
    />
  );
}

/** The name of the step, the state that it led to, and behind it all that was written down. */
function Step({ of: { event, detail } }: { readonly of: Entry }) {
  const words = useConsole().words.value;
  const led = detail["to"] ?? detail["state"];
  const step = eventText(event, words);
  const name = typeof led === "string" ? `${step} → ${stateText(led, words)}` : step;
  if (Object.keys(detail).length === 0) return <>{name}</>;
  return (
    <details>
      <summary>{name}</summary>
      <pre>{JSON.stringify({ event, ...detail }, null, 2)}</pre>
    </details>
  );
}
