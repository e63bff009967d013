/** Who is connected by MCP, what was called last, and how to connect another. Names are as the clients gave them: data. */
import type { ConsoleAssistants } from "../../../src/serve/console/console-api.ts";
import { Time } from "../parts/figure.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { useConsole } from "../state/console.ts";

type Assistant = ConsoleAssistants["connected"][number];
type Call = ConsoleAssistants["calls"][number];

export function AssistantsView() {
  const { live, words } = useConsole();
  const { say, shared } = words.value;
  const assistants = live.assistants.value;
  const none = assistants === undefined ? say("page.loading") : undefined;
  const connected: readonly Column<Assistant>[] = [
    { head: say("assistants.client"), isName: true, cell: ({ client }) => client },
    { head: say("assistants.caller"), cell: ({ caller }) => caller },
    { head: say("assistants.since"), isWide: true, cell: ({ since }) => <Time at={since} /> },
    { head: say("assistants.last_call"), cell: ({ last_call_at }) => <Time at={last_call_at} /> },
  ];
  const calls: readonly Column<Call>[] = [
    { head: shared.say("column.time"), cell: ({ at }) => <Time at={at} /> },
    { head: say("assistants.tool"), isName: true, cell: ({ tool }) => <code>{tool}</code> },
    { head: say("assistants.outcome"), cell: ({ outcome }) => outcome },
    { head: say("assistants.client"), isWide: true, cell: ({ client, caller }) => client ?? caller },
    { head: "ms", isFigure: true, isWide: true, cell: ({ ms }) => ms },
  ];
  return (
    <>
      <h1>{say("nav.assistants")}</h1>
      <section class="panel">
        <Table
          caption={say("assistants.connected")}
          columns={connected}
          rows={assistants?.connected ?? []}
          keyOf={({ client, caller, since }) => `${client} ${caller} ${since}`}
          none={none ?? say("assistants.none")}
        />
      </section>
      <section class="panel">
        <Table
          caption={say("assistants.calls")}
          columns={calls}
          rows={assistants?.calls ?? []}
          keyOf={({ at, tool, caller, ms }) => `${at} ${tool} ${caller} ${ms}`}
          none={none ?? say("assistants.no_calls")}
        />
      </section>
      <Connecting />
    </>
  );
}

function Connecting() {
  const { session, words } = useConsole();
  const { say, shared } = words.value;
  const { mcp_url } = session.value;
  const headers = { Authorization: `Bearer ${shared.say("page.token", { file: "HOGA_HOME/http-token" })}` };
  const config = JSON.stringify({ mcpServers: { hoga: { type: "http", url: mcp_url, headers } } }, null, 2);
  return (
    <section class="panel" id="connect">
      <h2>{shared.say("page.connect")}</h2>
      <p>{shared.say("page.paste")}</p>
      {/* Whoever reads by the keyboard can scroll it. */}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by the keyboard */}
      <pre tabIndex={0}>{config}</pre>
      <p class="hint">{say("assistants.token")}</p>
    </section>
  );
}
