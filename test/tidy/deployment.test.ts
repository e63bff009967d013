/** What the files for containers name is there: settings, paths, ports, secrets, the time that a stop takes. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";

const ROOT = join(import.meta.dirname, "..", "..");
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string; readonly httpHeaders: readonly Named[] };
}
interface Named {
  readonly name: string;
  readonly value?: string;
}
interface Hoga {
  readonly args: readonly string[];
  readonly env: readonly Named[];
  readonly ports: readonly [{ readonly containerPort: number }];
  readonly lifecycle: { readonly preStop: { readonly exec: { readonly command: readonly [string, string] } } };
  readonly volumeMounts: readonly { readonly mountPath: string }[];
  readonly [probe: `${string}Probe`]: Probe;
}

const compose = parse(read("compose.yaml")) as {
  readonly services: Readonly<
    Record<
      "hoga" | "proxy",
      { readonly environment: object; readonly secrets: readonly string[]; readonly stop_grace_period: string }
    >
  >;
  readonly networks: { readonly front: { readonly ipam: { readonly config: readonly [{ readonly subnet: string }] } } };
  readonly secrets: object;
};
const documents = parseAllDocuments(read("deploy/kubernetes.yaml"), { version: "1.1" }).map((document) => {
  expect(document.errors).toEqual([]);
  return document.toJS() as {
    readonly kind: string;
    readonly data?: Readonly<Record<string, string>>;
    readonly spec: never;
  };
});
const ofKind = (kind: string) => documents.filter((document) => document.kind === kind);
interface Deployed {
  readonly template: {
    readonly spec: { readonly terminationGracePeriodSeconds: number; readonly containers: readonly [Hoga] };
  };
}
const [
  {
    template: { spec: pod },
  },
] = ofKind("Deployment").map(({ spec }) => spec) as unknown as readonly [Deployed];
const [hoga] = pod.containers;
const dockerfile = read("Dockerfile");
const entrypoint = read("deploy/entrypoint.sh");

it("name settings that there are", () => {
  const known = read("docs/guides/settings.md");
  const named = [...Object.keys(compose.services.hoga.environment), ...hoga.env.map(({ name }) => name)];
  for (const name of named) expect(known).toContain(`\`${name}\``);
  expect(dockerfile).toContain("HOGA_HOME=/var/lib/hoga/home");
});

it("meet at one port, and ask paths that are open to all as a proxy would", () => {
  const port = String(hoga.ports[0].containerPort);
  expect(dockerfile).toContain(`"--port", "${port}"]`);
  expect(hoga.args).toContain(port);
  for (const path of ["compose.yaml", "deploy/haproxy.cfg"]) expect(read(path)).toMatch(new RegExp(`\\b${port}\\b`));
  const probes = [hoga.startupProbe, hoga.livenessProbe, hoga.readinessProbe].map((probe) => probe?.httpGet);
  expect(probes.map((probe) => probe?.path)).toEqual(["/healthz", "/healthz", "/readyz"]);
  for (const probe of probes)
    expect(probe?.httpHeaders).toEqual([
      { name: "Host", value: "hoga.example.com" },
      { name: "X-Forwarded-Proto", value: "https" },
    ]);
});

it("have the same settings, and trust the network that they make", () => {
  const [{ subnet }] = compose.networks.front.ipam.config;
  expect(read("deploy/config.toml")).toContain(`trusted_proxies = ["${subnet}"]`);
  const settings = (text: string): readonly string[] => text.match(/^(?!trusted)\w+ = "[^"]*"/gm) ?? [];
  const [{ data = {} } = {}] = ofKind("ConfigMap");
  for (const name of ["config.toml", "policy.toml"])
    expect(settings(data[name] ?? "")).toEqual(settings(read(`deploy/${name}`)));
});

it("give each secret that is asked for, as a file", () => {
  const { secrets, services } = compose;
  const used = Object.values(services).flatMap((service) => service.secrets ?? []);
  expect(new Set(used)).toEqual(new Set(Object.keys(secrets)));
  const asked = [entrypoint, read("deploy/config.toml"), read("deploy/haproxy.cfg")].flatMap((text) =>
    [...text.matchAll(/\/run\/secrets\/(\w+)/g)].map(([, name]) => name),
  );
  expect(new Set(asked)).toEqual(new Set(used));
  expect(hoga.volumeMounts.map(({ mountPath }) => mountPath)).toEqual(
    expect.arrayContaining(["/run/secrets", "/etc/hoga", "/var/lib/hoga"]),
  );
});

it("let everybody in by the gateway over TLS alone, and give no request to a second replica", () => {
  interface Listener {
    readonly name: string;
    readonly protocol: string;
  }
  const [gateway] = ofKind("Gateway").map(({ spec }) => spec as { readonly listeners: readonly Listener[] });
  expect(gateway?.listeners.map(({ name, protocol }) => [name, protocol])).toEqual([
    ["https", "HTTPS"],
    ["http", "HTTP"],
  ]);
  interface Route {
    readonly parentRefs: readonly [{ readonly sectionName: string }];
    readonly rules: readonly [{ readonly backendRefs?: readonly { readonly name: string; readonly port: number }[] }];
  }
  const routes = ofKind("HTTPRoute").map(({ spec }) => spec as Route);
  const [service] = ofKind("Service").map(
    ({ spec }) => spec as { readonly ports: readonly { readonly port: number }[] },
  );
  expect(routes.map(({ parentRefs: [{ sectionName }], rules: [rule] }) => [sectionName, rule.backendRefs])).toEqual([
    ["https", [{ name: "hoga", port: service?.ports[0]?.port }]],
    ["http", undefined],
  ]);
  expect(ofKind("BackendTrafficPolicy").map(({ spec }) => spec)).toMatchObject([{ retry: { numRetries: 0 } }]);
  expect(ofKind("Ingress")).toEqual([]);
});

it("leave an order that is being sent the time to be answered", () => {
  const [, ms = ""] = /GRACE_MS = ([\d_]+)/.exec(read("src/cli/shutdown.ts")) ?? [];
  const graceS = Number(ms.replaceAll("_", "")) / 1_000;
  expect(graceS).toBeGreaterThan(0);
  const waitS = Number(hoga.lifecycle.preStop.exec.command[1]);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(graceS + waitS);
  expect(Number.parseInt(compose.services.hoga.stop_grace_period, 10)).toBeGreaterThan(graceS);
});
