import { useRealPrograms } from "../../fixture/command-line.ts";

useRealPrograms();
await import("../../cli/probe/probe.test.ts");
