import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../execution/preview-order.test.ts");
