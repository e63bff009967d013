import { OpenApiClient, Stream, startSandbox } from "hoga";

const sandbox = await startSandbox();
const client = new OpenApiClient({ environment: "sandbox", baseUrl: sandbox.baseUrl, credentials: sandbox });
const stream = new Stream({ url: sandbox.streamUrl, reader: client });

const book = stream.orderbook("BTC/KRW", () => {}, { depth: 1 });
const filled = new Promise((resolve) => stream.fills(resolve));
await stream.until("live");
console.log("live:", book.value.tick);

const placed = await client.submit({ symbol: "BTC/KRW", side: "buy", type: "market", amount: "50000" });
console.log(placed.ok ? `order is ${placed.value.state}` : placed.fault.code);
const { side, volume, price, fee } = await filled;
console.log(`fill: ${side} ${volume} at ${price}, fee ${fee}`);

await stream.close();
await client.close();
await sandbox.close();
