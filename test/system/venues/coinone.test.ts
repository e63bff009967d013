import { testBehaviour } from "./behaviour.ts";
import { COINONE } from "./exchanges.ts";

testBehaviour(COINONE);
