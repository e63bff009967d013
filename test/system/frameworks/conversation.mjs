/**
 * Conversations without a model, through the tools of one framework: `node conversation.mjs FRAMEWORK`, with the server's addresses, by
 * transport, and an order for each as JSON on stdin. What the framework handed on is one line of JSON on stdout.
 *
 * @typedef {{ text?: string, content?: Record<string, unknown> }} Answer
 * @typedef {{ names: string[], call(name: string, args: object): Promise<Answer>, close(): Promise<void> }} Framework
 */
import { json } from "node:stream/consumers";

const { open } = await import(`./${process.argv[2]}.mjs`);

async function converse(server, order) {
  const framework = await open(server);
  const placed = await framework.call("place_order", order);
  const orderId = placed.content?.order.orderId ?? /order_id ([0-9a-f-]{36})/.exec(placed.text)?.[1];
  const awaited = await framework.call("await_order", { order_id: orderId, until: "placed", timeout_s: 5 });
  const canceled = await framework.call("cancel_order", { order_id: orderId });
  await framework.close();
  return { names: framework.names, orderId, placed, awaited, canceled };
}

const { servers, orders } = await json(process.stdin);
const said = {};
for (const [transport, server] of Object.entries(servers))
  said[transport] = await converse({ [transport]: server }, orders[transport]);
// Some frameworks keep timers running.
process.stdout.write(`${JSON.stringify(said)}\n`, () => process.exit());
