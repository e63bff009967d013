/** Owns how times are shown to people: by the clock of their zone, with its distance from UTC. */

/** Puts the cost of a formatter on the first time that is shown, not on the start. */
const formatters = new Map<string, Intl.DateTimeFormat>();

/** "2026-11-23 16:32:28 UTC+9"; a text that is no time is left as it is. */
export function timeIn(timeZone: string, time: string | number): string {
  const at = new Date(time);
  if (Number.isNaN(at.getTime())) return String(time);
  // The one whose numbers stand in the order of ISO 8601.
  return formatterOf(timeZone)
    .format(at)
    .replace(/GMT(\+0$)?/, "UTC")
    .replace("−", "-");
}

const MOMENT = /(?<!["'\w-])\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(?:\.\d+)?Z\b/g;

/** A text whose moments stand by the reader's clock. What is quoted in it is somebody's own words, and stays. */
export function localMoments(text: string, timeZone: string): string {
  return text.replace(MOMENT, (moment) => timeIn(timeZone, moment));
}

function formatterOf(timeZone: string): Intl.DateTimeFormat {
  const known = formatters.get(timeZone);
  if (known !== undefined) return known;
  const two = "2-digit";
  const made = new Intl.DateTimeFormat("sv-SE", {
    ...{ year: "numeric", month: two, day: two, hour: two, minute: two, second: two },
    calendar: "gregory",
    numberingSystem: "latn",
    timeZone,
    timeZoneName: "shortOffset",
  });
  formatters.set(timeZone, made);
  return made;
}
