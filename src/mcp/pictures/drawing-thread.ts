/**
 * The thread that draws pictures, one after another. A file of its own in the build, `dist/drawing-thread.js`: it brings the drawing
 * library, which nothing else loads.
 *
 * Source: decision 0071.
 */
import { parentPort } from "node:worker_threads";
import { wordsFor } from "../../words/index.ts";
import { drawBook } from "./book-chart.ts";
import { drawCandles } from "./candle-chart.ts";
import type { Drawing } from "./drawing.ts";
import type { PictureRequest } from "./picture-request.ts";
import type { DrawnReply } from "./picture-thread.ts";
import { drawPortfolio } from "./portfolio-chart.ts";

parentPort?.on("message", (request: PictureRequest) => {
  parentPort?.postMessage(replyTo(request));
});

/** Keeps here what the library says of a failure, which may name places of this machine. */
function replyTo(request: PictureRequest): DrawnReply {
  try {
    const { png, ...rest } = drawingOf(request);
    return { ok: true, drawing: { ...rest, png: new Uint8Array(png) } };
  } catch {
    return { ok: false, why: "it could not be drawn" };
  }
}

function drawingOf(request: PictureRequest): Drawing {
  const words = wordsFor(request.reader);
  switch (request.kind) {
    case "book":
      return drawBook({ ...request.of, words });
    case "candles":
      return drawCandles({ ...request.of, words });
    case "portfolio":
      return drawPortfolio({ ...request.of, words });
  }
}
