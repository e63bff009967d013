import { useRealPrograms } from "../../fixture/command-line.ts";

useRealPrograms();
await import("../../story/market-flow.test.ts");
