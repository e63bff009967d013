/**
 * What is wrong with the texts of a page as somebody sees them, by the boxes in which the browser has laid them out: two that touch, one
 * that is cut or sticks out of what it stands in, and a word that goes on in the next line. Runs in the page: `textTroubles()`.
 */
const GAP = 2;
/** Of a line, above and below: glyphs do not fill it, and lines of neighbours may be set a little into each other. */
const LEADING = 0.22;
/** What has a frame or a ground of its own. */
const FRAMED = ".panel, .notice, .note, .state, .money, .tiles > div, button, dialog, tbody tr";
const BLOCK = /^(block|flex|grid|list-item|table-cell|table-caption|inline-block|inline-flex)$/;
/** A line may end at these; Korean lines end at spaces too. */
const WORD = /[^\s/\-–—·?&=(]+/gu;

const shown = (element) =>
  element.closest("[hidden], .unseen, .skip, script, style") === null &&
  element.checkVisibility({ visibilityProperty: true, opacityProperty: true });

/** What scrolls or stays by itself is not over or under what it hides, but in front of it. */
function layerOf(element) {
  for (let at = element; at !== null; at = at.parentElement)
    if (/^(fixed|sticky)$/.test(getComputedStyle(at).position)) return at;
  return null;
}

function blockOf(element) {
  let at = element;
  while (!BLOCK.test(getComputedStyle(at).display)) at = at.parentElement;
  return at;
}

/** What is seen of a box in everything around it that clips, and in how far it is cut. */
function clipped(box, element) {
  let { left, right, top, bottom } = box;
  // What a keyboard scrolls to the side on purpose.
  const isScrolled = element.closest("pre") !== null;
  let isCut = !isScrolled && (left < -0.5 || right > document.documentElement.clientWidth + 0.5);
  let isScrolledTo = false;
  for (let at = element; at !== null; at = at.parentElement) {
    const { overflowX, overflowY, contain } = getComputedStyle(at);
    const clips = overflowX !== "visible" || overflowY !== "visible" || /paint|strict|content/.test(contain);
    if (!clips || at === document.documentElement || at === document.body) continue;
    const edge = at.getBoundingClientRect();
    if (!isScrolled && (left < edge.left - 0.5 || right > edge.right + 0.5)) isCut = true;
    const scrollsDown = /auto|scroll/.test(overflowY);
    if (!scrollsDown && !isScrolledTo && (top < edge.top - 0.5 || bottom > edge.bottom + 0.5)) isCut = true;
    if (scrollsDown) isScrolledTo = true;
    [left, right] = [Math.max(left, edge.left), Math.min(right, edge.right)];
    [top, bottom] = [Math.max(top, edge.top), Math.min(bottom, edge.bottom)];
  }
  return { left, right, top, bottom, isCut };
}

function linesOf(node, from, to) {
  const range = document.createRange();
  range.setStart(node, from);
  range.setEnd(node, to);
  return [...range.getClientRects()].filter(({ width, height }) => width > 0 && height > 0);
}

function textsOf(root) {
  const texts = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const element = node.parentElement;
    const text = node.data.trim();
    if (text === "" || !shown(element)) continue;
    const from = node.data.indexOf(text);
    texts.push({ node, element, text, from, lines: linesOf(node, from, from + text.length) });
  }
  return texts;
}

function brokenIn({ node, text, from }) {
  return [...text.matchAll(WORD)]
    .filter(({ 0: word, index }) => {
      const tops = linesOf(node, from + index, from + index + word.length).map(({ top }) => Math.round(top));
      return new Set(tops).size > 1;
    })
    .map(({ 0: word }) => `broken: ${word}`);
}

/** Of a frame in a frame each is looked at. */
function isOutside(inner, frame) {
  if (frame === null) return false;
  const outer = frame.getBoundingClientRect();
  if (inner.left < outer.left - 0.5 || inner.right > outer.right + 0.5) return true;
  return layerOf(frame) === null && isOutside(outer, frame.parentElement.closest(FRAMED));
}

function isCutOff({ element, lines }) {
  const block = blockOf(element);
  const { overflowX } = getComputedStyle(block);
  if (overflowX !== "visible" && block.tagName !== "PRE" && block.scrollWidth > block.clientWidth) return true;
  if (element.closest("pre") !== null) return false;
  return lines.some((line) => isOutside(line, element.closest(FRAMED)) || clipped(line, element).isCut);
}

/** @returns each trouble as a text, once */
globalThis.textTroubles = () => {
  const dialog = document.querySelector("dialog[open]");
  const texts = textsOf(dialog ?? document.body);
  const troubles = texts.flatMap((text) => [
    ...(isCutOff(text) ? [`cut: ${text.text}`] : []),
    ...(text.element.closest("pre") === null ? brokenIn(text) : []),
  ]);
  const boxes = texts
    .flatMap(({ element, text, lines }) => {
      const [block, layer] = [blockOf(element), layerOf(element)];
      return lines.map((line) => ({ text, block, layer, ...clipped(line, element) }));
    })
    .filter(({ left, right, top, bottom }) => right > left && bottom > top)
    .map((box) => {
      const leading = (box.bottom - box.top) * LEADING;
      return { ...box, top: box.top + leading, bottom: box.bottom - leading };
    })
    .sort((one, other) => one.top - other.top);
  for (const [index, one] of boxes.entries())
    for (const other of boxes.slice(index + 1)) {
      if (other.top >= one.bottom) break;
      if (one.layer !== other.layer) continue;
      // Words of one line are set apart by their spaces.
      const gap = one.block === other.block ? -1 : GAP;
      if (one.left < other.right + gap && other.left < one.right + gap)
        troubles.push(`touch: ${one.text} | ${other.text}`);
    }
  return [...new Set(troubles)];
};
