/** Texts of which there are few, such as accounts and symbols, by number. Entry point: `Names`. */
import { InvariantError } from "../core/invariant.ts";

/** Invariant: a text keeps its number for ever. The text that was asked for last is known without a search. */
export class Names<Text extends string | null = string> {
  readonly #texts: Text[] = [];
  readonly #numbers = new Map<Text, number>();
  #last: Text | undefined;
  #lastNumber = 0;

  /** @returns the text's number; a text that is new gets the next one */
  numberOf(text: Text): number {
    if (text !== this.#last) {
      this.#lastNumber = this.#numbers.get(text) ?? this.#add(text);
      this.#last = text;
    }
    return this.#lastNumber;
  }

  #add(text: Text): number {
    this.#numbers.set(text, this.#texts.length);
    return this.#texts.push(text) - 1;
  }

  at(number: number): Text {
    const text = this.#texts[number];
    if (text === undefined) throw new InvariantError(`no text has the number ${number}`);
    return text;
  }
}
