import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../broken-store.test.ts");
