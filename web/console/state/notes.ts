/** Owns what the page has told and the person has not put away yet: what became of an order, of a halt, of what lapsed. */
import { type Signal, signal } from "@preact/signals";
import type { Note } from "../words/note.ts";

export interface KeptNote extends Note {
  readonly id: number;
}

export interface Notes {
  readonly kept: Signal<readonly KeptNote[]>;
  readonly tell: (note: Note) => void;
  readonly putAway: (id: number) => void;
}

const MOST = 4;

export function createNotes(): Notes {
  const kept = signal<readonly KeptNote[]>([]);
  let last = 0;
  return {
    kept,
    tell(note) {
      last += 1;
      kept.value = [{ ...note, id: last }, ...kept.value].slice(0, MOST);
    },
    putAway(id) {
      kept.value = kept.value.filter((note) => note.id !== id);
    },
  };
}
