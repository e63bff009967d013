/** Anchors of the documents: explicit `<a id="…"></a>`. One on a heading names a section, any other one a rule. */

export function anchorsIn(text: string): string[] {
  return [...text.matchAll(/<a id="([^"]+)"><\/a>/g)].map(([, id = ""]) => id);
}

export function rulesIn(text: string): string[] {
  return anchorsIn(text.replaceAll(/^#.*$/gm, ""));
}
