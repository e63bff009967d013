import { testBehaviour } from "./behaviour.ts";
import { KORBIT } from "./exchanges.ts";

// A request that is on its way for longer than five seconds is refused when it arrives.
testBehaviour(KORBIT, { lateMs: 4_000 });
