import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../reconciliation/order-tracker.test.ts");
