/**
 * Owns what lies between the server's events and the picture: of each topic only the newest text is kept until the next picture, and
 * only that one is read. A book that changes a thousand times a second is drawn twenty times a second.
 *
 * Invariants: what was taken last is what is shown; a text is never read twice; what cannot be read leaves what was there.
 */

/** Runs something soon, once: with the next frame, or after a moment where no frames are drawn. */
export type Soon = (work: () => void) => void;

export interface Newest<Topics> {
  /** Keeps the text of an event until it is shown. */
  take<Topic extends keyof Topics>(topic: Topic, text: string): void;
  /** Shows at once what is kept. */
  show(): void;
}

/** @param show is given each topic that has something new */
export function newestOf<Topics>(
  soon: Soon,
  show: <Topic extends keyof Topics>(topic: Topic, value: Topics[Topic]) => void,
): Newest<Topics> {
  const kept = new Map<keyof Topics, string>();
  const showAll = (): void => {
    const taken = [...kept];
    kept.clear();
    for (const [topic, text] of taken) {
      const value = readText(text);
      if (value !== undefined) show(topic, value as Topics[typeof topic]);
    }
  };
  return {
    take(topic, text) {
      if (kept.size === 0) soon(showAll);
      kept.set(topic, text);
    },
    show: showAll,
  };
}

function readText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
