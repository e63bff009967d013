/**
 * `npm run bench:page`: one page of what is kept in `bench/results`, the last run of each benchmark: a table of the rows that have a goal, then every row, then the
 * curves, on paper with logarithms along both sides. It needs nothing else: no script, no network.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type Curve, figureText, type Goal, type Kept, RESULTS, type Row, type Three } from "./results.ts";

interface Run {
  readonly harness: string;
  readonly kept: Kept;
}

function lastRuns(): readonly Run[] {
  const files = readdirSync(RESULTS).filter((name) => name.endsWith(".jsonl"));
  return files.sort().map((name) => {
    const line = readFileSync(join(RESULTS, name), "utf8").trim().split("\n").at(-1) ?? "{}";
    return { harness: basename(name, ".jsonl"), kept: JSON.parse(line) as Kept };
  });
}

const escaped = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
const three = (figures: Three | undefined): string =>
  figures === undefined ? "" : figures.map(figureText).join(" / ");
const cells = (values: readonly string[], tag = "td"): string =>
  `<tr>${values.map((value) => `<${tag}>${value}</${tag}>`).join("")}</tr>`;

function goalCells(name: string, row: Row, goal: Goal): string {
  const ratio = row.ratios[goal.to];
  const [, middle = Number.NaN] = ratio ?? [];
  const isReached = middle <= (goal.atMost ?? Number.POSITIVE_INFINITY) && middle >= (goal.atLeast ?? 0);
  const wanted = goal.atMost === undefined ? `at least ${goal.atLeast}` : `at most ${goal.atMost}`;
  const verdict = `<b class="${isReached ? "yes" : "no"}">${isReached ? "yes" : "no"}</b>`;
  const sides = [three(row.figures["hoga"]), `${escaped(goal.to)}: ${three(row.figures[goal.to])}`];
  return cells([escaped(name), ...sides, three(ratio), wanted, verdict]);
}

function goalTable(runs: readonly Run[]): string {
  const rows = runs.flatMap(({ kept }) =>
    Object.entries(kept.rows).flatMap(([name, row]) => row.goals.map((goal) => goalCells(name, row, goal))),
  );
  const head = cells(["row", "hoga: min / median / max", "held against", "ratio", "goal", "reached"], "th");
  return `<table>${head}${rows.join("")}</table>`;
}

function allRows({ harness, kept }: Run): string {
  const rows = Object.entries(kept.rows).flatMap(([name, { figures, ratios }]) =>
    Object.entries(figures).map(([side, found]) =>
      cells([escaped(name), escaped(side), three(found), three(ratios[side])]),
    ),
  );
  const about = `${kept.commit}, ${kept.at.slice(0, 10)}, Node ${kept.node}, load ${kept.load}`;
  const head = cells(["row", "side", "min / median / max", "hoga's ratio to it"], "th");
  const table = rows.length === 0 ? "" : `<table>${head}${rows.join("")}</table>`;
  return `<h2>${harness}</h2><p>${escaped(about)}</p>${table}${Object.entries(kept.curves).map(figureOf).join("")}`;
}

const [WIDTH, HEIGHT, LEFT, BOTTOM, TOP] = [560, 240, 70, 30, 12] as const;

function figureOf([name, { unit, points, exponent }]: readonly [string, Curve]): string {
  const across = scaleOf(
    points.map(([size]) => size),
    [LEFT, WIDTH - 20],
  );
  const up = scaleOf(
    points.map(([, figure]) => figure),
    [HEIGHT - BOTTOM, TOP],
  );
  const places = points.map(([size, figure]) => [across.at(size), up.at(figure)] as const);
  const dots = places.map(([x, y]) => `<circle cx="${x}" cy="${y}" r="3"/>`).join("");
  const columns = points.map(
    ([size]) => `<text x="${across.at(size)}" y="${HEIGHT - 8}" text-anchor="middle">${short(size)}</text>`,
  );
  const lines = up.marks.map(
    (mark) =>
      `<path class="grid" d="M${LEFT} ${up.at(mark)}H${WIDTH - 20}"/><text x="${LEFT - 8}" y="${up.at(mark) + 4}" text-anchor="end">${short(mark)}</text>`,
  );
  const path = `<path class="line" d="M${places.map((place) => place.join(" ")).join("L")}"/>`;
  const caption = `${name}, ${unit}: grows with the power ${exponent.toFixed(2)}`;
  const drawing = `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${escaped(caption)}">${lines.join("")}${columns.join("")}${path}${dots}</svg>`;
  return `<figure><figcaption>${escaped(caption)}</figcaption>${drawing}</figure>`;
}

/** By logarithm, from the power of ten below all to that above. */
function scaleOf(values: readonly number[], [from, to]: readonly [number, number]) {
  const low = Math.floor(Math.log10(Math.min(...values)));
  const high = Math.max(low + 1, Math.ceil(Math.log10(Math.max(...values))));
  const at = (value: number): number => Math.round(from + ((Math.log10(value) - low) / (high - low)) * (to - from));
  return { at, marks: Array.from({ length: high - low + 1 }, (_, power) => 10 ** (low + power)) };
}

function short(value: number): string {
  if (value >= 1_000_000) return `${value / 1_000_000}M`;
  return value >= 1_000 ? `${value / 1_000}k` : String(Number(value.toPrecision(3))); // not money: a measure
}

const STYLE = `:root{color-scheme:light dark}body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2rem auto;padding:0 1rem}
table{border-collapse:collapse;width:100%;margin:1rem 0;font-size:13px}td,th{text-align:left;padding:.3rem .6rem;border-bottom:1px solid #8884}
td:nth-child(n+2){font-variant-numeric:tabular-nums}.yes{color:light-dark(#176b3a,#5fd08f)}.no{color:light-dark(#a3341f,#ff9a85)}
figure{display:inline-block;width:560px;max-width:100%;margin:1rem 1rem 0 0;vertical-align:top}svg{width:100%;font-size:11px;fill:currentColor}
.grid{stroke:#8885}.line{fill:none;stroke:#3b82c4;stroke-width:2}circle{fill:#3b82c4}`;

const runs = lastRuns();
const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>hoga: benchmarks</title><style>${STYLE}</style>
<h1>hoga: benchmarks</h1>
<p>The last kept run of each benchmark; bench/README.md says how they are measured. Ratios are of sides that took turns in one run, and machines are noisy: the median counts.</p>
${goalTable(runs)}
${runs.map(allRows).join("\n")}
</html>
`;
writeFileSync(join(RESULTS, "index.html"), html);
process.stdout.write(`${join(RESULTS, "index.html")}: ${runs.length} benchmarks\n`);
