import { openDesk } from "hoga";

const desk = await openDesk({ venue: "paper" });
const { value: seen } = await desk.preview({ symbol: "BTC/KRW", side: "buy", type: "market", quote_amount: "50000" });
console.log(`policy: ${seen.policy.verdict}, counts for ${seen.policy.value} ${seen.unit}`);

const report = await desk.place({ draft_id: seen.draft_id });
console.log(`${report.outcome}: ${report.state}, paid ${report.order.executed_value}`);

const status = await desk.status();
for (const { rule, used, limit } of status.limits) console.log(`${rule}: ${used} of ${limit}`);
await desk.close();
