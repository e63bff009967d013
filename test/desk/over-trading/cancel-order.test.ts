import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../execution/cancel-order.test.ts");
