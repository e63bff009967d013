/** What is not as it should be: the exchange is away, orders without an answer, warnings. Nothing where all is well. */

import { Time } from "../parts/figure.tsx";
import { Notice } from "../parts/notice.tsx";
import { useConsole } from "../state/console.ts";
import { hashOf } from "../state/route.ts";
import { faultText } from "../words/note.ts";

export function StatusLines() {
  const { live, words } = useConsole();
  const { say, shared } = words.value;
  const status = live.status.value;
  if (status === undefined) return null;
  const { error, venue, unresolved, warnings, cancel_timer_fires_at, can_trade, brake } = status;
  return (
    <>
      {(venue === "down" || error !== undefined) && (
        <Notice tone="bad">
          {venue === "down" && <strong>{say("status.venue_down")} </strong>}
          {error !== undefined && faultText(error, words.value)}
        </Notice>
      )}
      {!can_trade && brake === undefined && venue === "up" && <Notice tone="warn">{say("status.impossible")}</Notice>}
      {unresolved.map(({ userref, symbol, state }) => (
        <Notice key={userref} tone={state === "not_sent_yet" ? "warn" : "bad"}>
          <a href={hashOf({ view: "orders", of: userref })}>
            {shared.say(state === "not_sent_yet" ? "page.not_sent_yet" : "page.unresolved", { userref, symbol })}
          </a>
        </Notice>
      ))}
      {cancel_timer_fires_at !== null && (
        <Notice tone="warn">
          {say("status.cancel_timer")} <Time at={cancel_timer_fires_at} />
        </Notice>
      )}
      {warnings.map((warning) => (
        <Notice key={warning} tone="warn">
          {shared.told(warning)}
        </Notice>
      ))}
    </>
  );
}
