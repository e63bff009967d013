import { useRealPrograms } from "../../fixture/command-line.ts";

useRealPrograms();
await import("../../approval/pin.test.ts");
