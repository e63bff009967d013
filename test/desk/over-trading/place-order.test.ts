import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../execution/place-order.test.ts");
