import { expect, it } from "vitest";
import type { Venue } from "../../../src/desk/index.ts";
import { OpenApiClient } from "../../../src/venues/index.ts";

it("the client has the shape of the desk's venue", () => {
  const venue: Venue = new OpenApiClient({
    environment: "live",
    baseUrl: "https://venue.example",
    absence: { by: "none" },
  });
  expect(venue.environment).toBe("live");
  expect(venue.card.absence).toEqual({ by: "none" });
  expect(venue.writeTimeoutMs).toBe(15_000);
  expect(venue.clockOffsetMs()).toBeUndefined();
});
