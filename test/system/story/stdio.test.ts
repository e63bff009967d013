import { useRealPrograms } from "../../fixture/command-line.ts";

useRealPrograms();
await import("../../story/stdio.test.ts");
