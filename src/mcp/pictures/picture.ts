/**
 * Owns how a picture gets into a result: by a place in the line, taken before anything is read for it. A result is whole without one.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";
import { localFault } from "../../contract/index.ts";
import type { Desk } from "../../desk/index.ts";
import { failedRead } from "../text/answer.ts";
import { type Drawing, PictureError } from "./drawing.ts";
import type { PictureRequest } from "./picture-request.ts";
import type { Pictures } from "./pictures.ts";

/** The image, and what the model has to know of it. */
export interface Drawn {
  readonly image: CallToolResult["content"];
  readonly note?: string;
}

export type Draw = (request: PictureRequest) => Promise<Drawn>;

interface Asking {
  readonly desk: Desk;
  readonly signal: AbortSignal;
  readonly pictures: Pictures;
  /** Whose turn it takes. */
  readonly caller: string;
}

/** @param look makes the result; it is not called where this caller has as many pictures under way as it may have */
export async function withPicture(
  { desk, signal, pictures, caller }: Asking,
  look: (draw: Draw) => Promise<CallToolResult>,
): Promise<CallToolResult> {
  const place = pictures.enter(caller);
  if ("retryAfterMs" in place) return failedRead(desk, localFault("ELocal:Busy", place));
  try {
    return await look((request) => place.draw(request, signal).then(shown, missing));
  } finally {
    place.leave();
  }
}

function shown({ png, labeled, isTranslated }: Drawing): Drawn {
  const image = [{ type: "image" as const, data: png.toString("base64"), mimeType: "image/png" }];
  if (!labeled) return { image, note: "The image has no text: no font is installed where hoga runs." };
  return isTranslated === true
    ? { image, note: "The image is labeled in English: no font with Korean letters is installed where hoga runs." }
    : { image };
}

function missing(why: unknown): Drawn {
  if (!(why instanceof PictureError)) throw why;
  return { image: [], note: `No image: ${why.message}.` };
}
