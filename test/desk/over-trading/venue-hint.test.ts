import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../reconciliation/venue-hint.test.ts");
