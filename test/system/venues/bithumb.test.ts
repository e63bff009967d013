import { testBehaviour } from "./behaviour.ts";
import { BITHUMB } from "./exchanges.ts";

testBehaviour(BITHUMB);
