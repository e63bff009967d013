import { useRealPrograms } from "../../fixture/command-line.ts";

useRealPrograms();
await import("../../approval/commands.test.ts");
