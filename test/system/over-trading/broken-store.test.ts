import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../../desk/broken-store.test.ts");
