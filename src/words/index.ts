/** The words for people, in the languages they read. Texts for models and programs stay where they are made, in English. */
export { amount, assetsOf } from "./amount.ts";
export { evidenceWords } from "./evidence-words.ts";
export { koreanFault } from "./fault-words.ts";
export { koreanLack } from "./lack-words.ts";
export type { Locale, Reader } from "./locale.ts";
export { orderWords } from "./order-words.ts";
export { signedPercent, signedPercentage } from "./percent.ts";
export { type PinTrouble, pinRefusal } from "./pin-words.ts";
export { noticeWords } from "./plans/notice-words.ts";
export {
  guardedBy,
  needsWatch,
  planFiguresLine,
  planFiguresSheet,
  planFiguresWorst,
  planInstead,
  planNow,
  replacedBy,
  worstOf,
} from "./plans/plan-figures.ts";
export { changeQuestion, changeSheet, planAnswer, planSheet, type ShownQuestion } from "./plans/plan-question-words.ts";
export { gapWhy, planFigure, planKind, planState, planSummary, worstWords } from "./plans/plan-words.ts";
export { rehearsalWords } from "./plans/rehearsal-words.ts";
export { planAssets, stepAsset, stepLabel } from "./plans/step-words.ts";
export { shortAmount, shortened, shortWon, wholeWon } from "./short.ts";
export { adviceLines, adviceList, cardLines, plansThere, proofWords, titleOf } from "./venue-words.ts";
export { localMoments, type Say, sayFrom, type Words, wordsFor, wordsInFull } from "./words.ts";
