import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../queries/market-and-account.test.ts");
