/** A client on a desk over an exchange of its own, for every test of a file. */
import { afterEach, beforeEach } from "vitest";
import { createMcpServer } from "../../src/mcp/index.ts";
import { openWorld, type Seat, type SeatOptions, type World } from "../fixture/desk-over-sandbox.ts";
import { connect, ERAS, type TestClient } from "./client.ts";

/** Of the test that runs: files that share this module run one after the other. */
export let world: World;
export let seat: Seat;
export let client: TestClient;

/** @param use what the exchange holds before the client comes */
export function openClientPerTest(use?: (world: World) => void, options: SeatOptions = {}): void {
  beforeEach(async () => {
    world = await openWorld();
    seat = await world.seat({ patient: true, ...options });
    client = await connect(ERAS[0], createMcpServer({ desk: seat.desk, version: "0.0.0" }));
    use?.(world);
  });
  afterEach(async () => {
    await client.close();
    await world.close();
  });
}
