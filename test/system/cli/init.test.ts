/** What `test/cli/commands/init.test.ts` holds of `hoga init` in process, by real programs on a real terminal. */
import { useRealPrograms } from "../../fixture/command-line.ts";

useRealPrograms();
await import("../../cli/commands/init.test.ts");
