import { testBehaviour } from "./behaviour.ts";
import { KORBIT } from "./exchanges.ts";

// A request that is older than five seconds when it arrives is refused, and its time is a second less than it is.
testBehaviour(KORBIT, { lateMs: 2_500 });
