/**
 * Owns how a picture gets into a result. The drawing code is slow to load and needs a native addon, so it is loaded when a picture
 * is asked for; a result is whole without one.
 */
import type { CallToolResult } from "@modelcontextprotocol/server";

export interface Drawing {
  readonly png: Buffer;
  /** False where the machine has no font: text is then missing, everything else is there. */
  readonly labeled: boolean;
  /** True where its labels are in English though the person reads Korean, for want of a font. */
  readonly isTranslated?: boolean;
}

/** @param load the drawing function. @returns the image, and what the model has to know of it */
export async function drawn(
  load: () => Promise<() => Promise<Drawing>>,
): Promise<{ readonly image: CallToolResult["content"]; readonly note?: string }> {
  const draw = await load().catch(() => undefined);
  if (draw === undefined) return { image: [], note: "No image: this machine cannot load the drawing library." };
  const { png, labeled, isTranslated } = await draw();
  const image = [{ type: "image" as const, data: png.toString("base64"), mimeType: "image/png" }];
  if (!labeled) return { image, note: "The image has no text: no font is installed where hoga runs." };
  return isTranslated === true
    ? { image, note: "The image is labeled in English: no font with Korean letters is installed where hoga runs." }
    : { image };
}
