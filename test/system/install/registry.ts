/** A registry of packages on loopback that has hoga, as it is once it is published, and leads to the one that is used here for all else. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { jsonAt, npm, ROOT } from "./packed.ts";

export interface Registry {
  readonly url: string;
  close(): void;
}

/** @param file the packed package */
export async function registryWith(file: string): Promise<Registry> {
  const others = npm(ROOT, "config", "get", "registry").trim();
  const manifest = jsonAt<{ readonly version: string }>(join(ROOT, "package.json"));
  const server = createServer(({ url: path = "/", headers }, response) => {
    if (path === "/hoga.tgz") {
      response.end(readFileSync(file));
      return;
    }
    if (path !== "/hoga") {
      response.writeHead(302, { location: new URL(path, others).href }).end();
      return;
    }
    const dist = { tarball: `http://${headers.host}/hoga.tgz` };
    const versions = { [manifest.version]: { ...manifest, dist } };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify({ name: "hoga", "dist-tags": { latest: manifest.version }, versions }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
