import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../../desk/queries/market-stream.test.ts");
