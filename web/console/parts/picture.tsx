/** The place of a picture that is drawn outside of Preact, and loaded when it is first shown. */
import { useEffect, useRef, useState } from "preact/hooks";
import { useConsole } from "../state/console.ts";
import type { Picture } from "../views/candle-chart.ts";

type Library = typeof import("../views/candle-chart.ts");

interface PictureProps<Data> {
  /** What a screen reader says of it. */
  readonly label: string;
  readonly data: Data | undefined;
  /** Of another one a new picture is made. */
  readonly of: string;
  readonly make: (library: Library, host: HTMLElement) => Picture<Data>;
}

export function PicturePlace<Data>({ label, data, of, make }: PictureProps<Data>) {
  const { preferences, locale, words } = useConsole();
  const host = useRef<HTMLDivElement>(null);
  const [picture, setPicture] = useState<Picture<Data>>();
  const { theme } = preferences.value;
  useEffect(() => {
    let made: Picture<Data> | undefined;
    let isWanted = true;
    void import("../views/candle-chart.ts").then((library) => {
      if (!isWanted || host.current === null) return;
      made = make(library, host.current);
      setPicture(made);
    });
    return () => {
      isWanted = false;
      made?.remove();
      setPicture(undefined);
    };
  }, [of]);
  useEffect(() => {
    if (data !== undefined) picture?.show(data);
  }, [picture, data]);
  useEffect(() => {
    const recolor = (): void => picture?.recolor();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    recolor();
    dark.addEventListener("change", recolor);
    return () => dark.removeEventListener("change", recolor);
  }, [picture, theme, locale.value]);
  return (
    <figure class="picture">
      <div ref={host} class="picture-host" role="img" aria-label={label} />
      <figcaption>
        <a href="https://www.tradingview.com/lightweight-charts/" target="_blank" rel="noreferrer">
          {words.value.say("chart.by")}
        </a>
      </figcaption>
    </figure>
  );
}
