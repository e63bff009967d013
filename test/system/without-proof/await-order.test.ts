import { useAbsence } from "../../fixture/desk-over-sandbox.ts";

useAbsence({ by: "none" });
await import("../../desk/queries/await-order.test.ts");
