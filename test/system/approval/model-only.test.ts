import { useRealPrograms } from "../../fixture/command-line.ts";

useRealPrograms();
await import("../../approval/model-only.test.ts");
