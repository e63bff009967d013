/** Names the exchange that an order is at, or goes to; nothing at the one that hoga specifies. */
import { useConsole } from "../state/console.ts";

export function AtExchange() {
  const { exchange, words } = useConsole();
  const name = exchange.value;
  return name === undefined ? null : <small class="hint">{words.value.say("page.at", { exchange: name })}</small>;
}
