import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../../desk/safety/kill-switch.test.ts");
