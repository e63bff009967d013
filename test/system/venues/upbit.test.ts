import { testBehaviour } from "./behaviour.ts";
import { UPBIT } from "./exchanges.ts";

// At one exchange an order is on its way as long as any request ever was: a minute.
testBehaviour(UPBIT, { lateMs: 60_000 });
