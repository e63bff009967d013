import { useAbsence } from "../../fixture/desk-over-sandbox.ts";

useAbsence({ by: "none" });
await import("../../desk/execution/sized-order.test.ts");
