import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../queries/await-order.test.ts");
