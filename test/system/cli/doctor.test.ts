/** What `test/cli/commands/doctor.test.ts` holds of `hoga doctor` in process, by real programs. */
import { useRealPrograms } from "../../fixture/command-line.ts";

useRealPrograms();
await import("../../cli/commands/doctor.test.ts");
