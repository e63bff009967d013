import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../../desk/execution/place-order.test.ts");
