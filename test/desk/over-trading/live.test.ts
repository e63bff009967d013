import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../live.test.ts");
