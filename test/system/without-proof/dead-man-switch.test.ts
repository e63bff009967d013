import { useAbsence } from "../../fixture/desk-over-sandbox.ts";

useAbsence({ by: "none" });
await import("../../desk/safety/dead-man-switch.test.ts");
