import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../../desk/reconciliation/order-tracker.test.ts");
