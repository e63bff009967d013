/** The words for people, in the languages they read. Texts for models and programs stay where they are made, in English. */
export { amount } from "./amount.ts";
export { koreanFault } from "./fault-words.ts";
export type { Reader } from "./locale.ts";
export { orderWords } from "./order-words.ts";
export { signedPercent } from "./percent.ts";
export { shortAmount, shortWon } from "./short.ts";
export { type Words, wordsFor } from "./words.ts";
