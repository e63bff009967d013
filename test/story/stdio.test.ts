import { afterAll, describe, expect, it } from "vitest";
import { cleanUp } from "../fixture/command-line.ts";
import { remembers, storyHome, tellStory } from "./story.ts";
import { clients } from "./story-client.ts";

afterAll(cleanUp);

describe.each(clients())("$name over stdio", ({ overStdio, protocol }) => {
  it("tells the whole story, and remembers it tomorrow", async () => {
    const home = await storyHome();
    const today = await overStdio({ home });
    expect(today.server?.protocol).toBe(protocol);
    const memory = await tellStory(today);
    await today.close();
    const tomorrow = await overStdio({ home });
    await remembers(tomorrow, memory);
    await tomorrow.close();
  }, 60_000);
});
