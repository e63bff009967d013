import { useRealPrograms } from "../../fixture/command-line.ts";

useRealPrograms();
await import("../../story/http.test.ts");
