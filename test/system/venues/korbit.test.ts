import { testBehaviour } from "./behaviour.ts";
import { KORBIT } from "./exchanges.ts";

testBehaviour(KORBIT);
