import { useApi } from "../../fixture/desk-over-sandbox.ts";

useApi("trading");
await import("../safety/kill-switch.test.ts");
