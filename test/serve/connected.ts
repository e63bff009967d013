/** A real `hoga serve --http` with a relay before it, and the SDKs' clients that reach it through `hoga connect`. */
import { type Asker, openLegacy, openModern, type Person } from "../approval/clients.ts";
import { confirmHome } from "../approval/home.ts";
import { freePort, type Running } from "../fixture/command.ts";
import { start } from "../fixture/command-line.ts";
import { freshHome, type Place } from "../fixture/data-dir.ts";
import { addressIn, type HttpAddress } from "../fixture/http-address.ts";
import { type Relay, startRelay } from "../fixture/relay.ts";
import { legacyStdio, modernStdio } from "../fixture/stdio-transport.ts";
import { venueOrders } from "../fixture/witness.ts";

export const ORDERS = "hoga://orders/open";
export const NOBODY: Person = { answer: () => Promise.reject(new Error("nobody is there")) };

export interface Kind {
  readonly name: string;
  readonly era: "2025-11-25" | "2026-07-28";
  readonly open: (place: Place, words: readonly string[], person: Person) => Promise<Asker>;
}

/** One for each era; and the newer client in the older one. */
export const KINDS: readonly Kind[] = [
  {
    name: "sdk 1.x",
    era: "2025-11-25",
    open: (place, words, person) => openLegacy(legacyStdio(place, words), person),
  },
  {
    name: "client 2.x",
    era: "2026-07-28",
    open: (place, words, person) => openModern(modernStdio(place, words), "auto", person),
  },
  {
    name: "client 2.x keeping to the old protocol",
    era: "2025-11-25",
    open: (place, words, person) => openModern(modernStdio(place, words), "legacy", person),
  },
];

export class Elsewhere {
  readonly home: string;
  readonly url: string;
  readonly relay: Relay;
  readonly #port: number;
  readonly #askers: Asker[] = [];
  server: Running | undefined;
  address: HttpAddress | undefined;

  private constructor(home: string, port: number, relay: Relay) {
    this.home = home;
    this.url = `http://127.0.0.1:${port}`;
    this.relay = relay;
    this.#port = port;
  }

  /** Small orders pass, and a person is asked about larger ones. */
  static async open(): Promise<Elsewhere> {
    const [home, port] = [await confirmHome({ mode: '"bounded"', approval_over_krw: '"200000"' }), await freePort()];
    const elsewhere = new Elsewhere(home, port, await startRelay(`http://127.0.0.1:${port}`));
    await elsewhere.serve();
    return elsewhere;
  }

  /** At the same address, also after it was stopped. */
  async serve(): Promise<void> {
    this.server = start(["serve", "--http", "--json", "--show-token", "--port", String(this.#port)], {
      home: this.home,
    });
    this.address = addressIn(await this.server.firstLine());
  }

  get token(): string {
    return this.address?.headers["Authorization"]?.replace("Bearer ", "") ?? "";
  }

  /** A client, by way of the relay unless another address is given. */
  async opened(kind: Kind, { url = this.relay.url, person = NOBODY } = {}): Promise<Asker> {
    const asker = await kind.open({ home: freshHome(), env: { HOGA_TOKEN: this.token } }, ["connect", url], person);
    this.#askers.push(asker);
    return asker;
  }

  /** How many there are at the exchange. */
  async ordersNamed(userref: string): Promise<number> {
    return (await venueOrders(this.home)).filter((order) => order.userref === userref).length;
  }

  async rest(): Promise<void> {
    this.relay.decide(() => "forward");
    await Promise.all(this.#askers.splice(0).map((asker) => asker.close()));
  }

  close(): Promise<void> {
    return this.relay.close();
  }
}

/** Told of changes of the open orders, in the way of the era. */
export async function follow({ raw }: Asker, { era }: Kind): Promise<string[]> {
  const told: string[] = [];
  const client = raw as never as {
    listen(filter: object): Promise<unknown>;
    subscribeResource(params: object): Promise<unknown>;
    fallbackNotificationHandler?: (message: { method: string; params?: { uri: string } }) => Promise<void>;
  };
  client.fallbackNotificationHandler = async ({ method, params }) => {
    if (method === "notifications/resources/updated") told.push(params?.uri ?? "");
  };
  if (era === "2026-07-28") await client.listen({ resourceSubscriptions: [ORDERS] });
  else await client.subscribeResource({ uri: ORDERS });
  return told;
}
