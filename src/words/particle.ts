/**
 * Owns the particle behind what is filled into a Korean sentence, which goes by the last sound of that: "0.1 BTC를", "₩5,000을", "plan-6을".
 *
 * Invariant: where the last sound is not certain both forms stay, as the sentence has them: "dip을(를)".
 */

/** Each pair as a sentence writes it, with the form behind a consonant and the one behind a vowel. */
const FORMS: Readonly<Record<string, readonly [closed: string, open: string]>> = {
  "을(를)": ["을", "를"],
  "이(가)": ["이", "가"],
  "은(는)": ["은", "는"],
  "(으)로": ["으로", "로"],
};

/** For a pattern: a place may be followed by a pair. */
export const PAIR = String.raw`(을\(를\)|이\(가\)|은\(는\)|\(으\)로)?`;

/** A final ㄹ takes 로, and otherwise the forms behind a consonant. */
type Sound = "open" | "l" | "closed";

/** @param pair as a sentence writes it; nothing where there is none */
export function withParticle(text: string, pair = ""): string {
  const forms = FORMS[pair];
  const sound = forms && lastSound(text);
  if (forms === undefined || sound === undefined) return `${text}${pair}`;
  const [closed, open] = forms;
  return `${text}${sound === "open" || (sound === "l" && open === "로") ? open : closed}`;
}

const PAIRED = new RegExp(String.raw`(\S+?)${PAIR.slice(0, -1)}`, "g");

/** A sentence with everything filled in: each pair becomes the form for what stands before it. */
export function withParticles(sentence: string): string {
  return sentence.replace(PAIRED, (_, before: string, pair: string) => withParticle(before, pair));
}

/** As it is read out: won as 원, digits and capitals one by one. */
function lastSound(text: string): Sound | undefined {
  const read = text.replace(/[)"'`]+$/, "");
  if (/₩[\d,.]+$/.test(read)) return "closed";
  const last = read.at(-1) ?? "";
  if (/[가-힣]/.test(last)) return ofSyllable(last);
  if (/[178LR]/.test(last)) return "l";
  if (/[036MN]/.test(last)) return "closed";
  // The letters of an id go up to f.
  return /[\dA-Z%]$|[\da-f]{8}$/.test(read) ? "open" : undefined;
}

/** Syllables stand in the order of their finals, 28 of each: none first, ㄹ ninth. */
function ofSyllable(syllable: string): Sound {
  const final = (syllable.charCodeAt(0) - "가".charCodeAt(0)) % 28;
  if (final === 0) return "open";
  return final === 8 ? "l" : "closed";
}
