import { useRealPrograms } from "../../fixture/command-line.ts";

useRealPrograms();
await import("../../approval/elicitation.test.ts");
