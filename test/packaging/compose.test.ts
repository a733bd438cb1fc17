import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { program } from "../../src/cli/program.ts";
import { programVersion } from "../../src/process/program-version.ts";
import { DEPLOY, interpolate, readCompose, type Service } from "./compose.ts";
import { startedConfiguration } from "./started-configuration.ts";

/** Values of the variables that an operator sets. */
const GIVEN = {
  ETHEREUM_HOSTS: "https://l1.example",
  L1_CONSENSUS_HOST_URLS: "https://beacon.example",
  HA_PASSWORD: "secret",
  GRAFANA_PASSWORD: "secret",
};
/** Folders beside the compose files that an operator makes; the comment of the file that mounts them tells how. */
const MADE_BY_OPERATOR = ["./keystore", "./keys"];
const IMAGE = `svc:${programVersion()}`;
/** ENV of deploy/Dockerfile. */
const IN_IMAGE = { NODE_ENV: "production", DATA_DIRECTORY: "/var/lib/svc" };

const starts = (service: Service): boolean => service.image === IMAGE && service.command?.[0] !== "migrate-ha-db";

describe.each(["compose.yaml", "compose.validators.yaml", "compose.local.yaml", "compose.monitoring.yaml"])(
  "%s",
  (file) => {
    const { services, volumes = {} } = readCompose(file, GIVEN);
    const all = Object.entries(services);

    test("has only images of a given version", () => {
      for (const [, { image }] of all) expect(image).toMatch(/^[\w./-]+:v?\d+(\.\d+)+$/);
      for (const [, { image }] of all) if (image.startsWith("svc:")) expect(image).toBe(IMAGE);
    });

    test("declares each named volume that a service mounts, and no other", () => {
      const mounted = all.flatMap(([, service]) => service.volumes ?? []).map((mount) => mount.split(":")[0]);
      const named = mounted.filter((source) => !source.startsWith("."));
      expect(new Set(named)).toEqual(new Set(Object.keys(volumes)));
      const folders = mounted.filter((source) => source.startsWith("./") && !MADE_BY_OPERATOR.includes(source));
      expect(folders.filter((folder) => !existsSync(join(DEPLOY, folder)))).toEqual([]);
    });

    test("publishes each port of the machine once, and depends on services that it has", () => {
      const published = all.flatMap(([, service]) => service.ports ?? []);
      const onMachine = published.map((port) => port.replace(/^127\.0\.0\.1:/, "").replace(/:\d+/, ""));
      expect(new Set(onMachine).size).toBe(published.length);
      for (const [, service] of all) {
        for (const other of Object.keys(service.depends_on ?? {})) expect(services).toHaveProperty(other);
      }
    });

    test("keeps the privileges of this program's services small", () => {
      for (const [, service] of all.filter(([, { image }]) => image === IMAGE)) {
        expect(service).toMatchObject({
          read_only: true,
          cap_drop: ["ALL"],
          security_opt: ["no-new-privileges:true"],
        });
      }
    });

    test.each(all.filter(([, service]) => starts(service)))("starts %s with options of the table", (_, service) => {
      const args = service.command ?? ["start", "--node"];
      const { values, warnings } = startedConfiguration(args, { ...IN_IMAGE, ...service.environment });
      expect(warnings).toEqual([]);
      const mounts = (service.volumes ?? []).map((mount) => mount.split(":")[1]);
      expect(mounts).toContain(values.dataDirectory);
      if (values.keyStoreDirectory !== undefined) expect(mounts).toContain(values.keyStoreDirectory);
      if (values.databaseUrl !== undefined) {
        expect(services).toHaveProperty(new URL(values.databaseUrl.reveal()).hostname);
      }
      if (service.network_mode === "host") {
        expect([values.rpcHost, values.adminHost, values.metricsHost]).toEqual(["127.0.0.1", "127.0.0.1", "127.0.0.1"]);
        return;
      }
      const p2p = values.p2pPort;
      const inside = (service.ports ?? []).map((port) => port.split(":").at(-1));
      expect(inside.sort()).toEqual([`${values.port}`, `${values.metricsPort}`, `${p2p}/tcp`, `${p2p}/udp`].sort());
      expect(service.ports).toContain(`${p2p}:${p2p}/udp`);
      expect([values.rpcHost, values.metricsHost, values.adminHost]).toEqual(["0.0.0.0", "0.0.0.0", "127.0.0.1"]);
    });
  },
);

test("the pair of validators has two nodes of one group", () => {
  const { services } = readCompose("compose.validators.yaml", GIVEN);
  const pair = Object.values(services)
    .filter(starts)
    .map(({ command, environment }) => startedConfiguration(command!, environment!));
  expect(pair.map(({ values }) => values.nodeId)).toEqual(["node-a", "node-b"]);
  for (const { values } of pair) expect(values).toMatchObject({ sequencer: true, haSigningEnabled: true });
  const [tables] = Object.values(services).filter(({ command }) => command?.[0] === "migrate-ha-db");
  const commands = program().commands.find((command) => command.name() === "migrate-ha-db")?.commands;
  expect(commands?.map((command) => command.name())).toContain(tables.command?.[1]);
  expect(tables.environment?.DATABASE_URL).toBe(services["node-a"].environment?.VALIDATOR_HA_DATABASE_URL);
});

test("Prometheus scrapes the port at which the compose files have the metrics", () => {
  const { scrape_configs } = parse(readFileSync(join(DEPLOY, "prometheus", "prometheus.yml"), "utf8"));
  expect(JSON.stringify(scrape_configs)).toContain('"127.0.0.1:9464"');
  for (const file of ["compose.yaml", "compose.validators.yaml"]) {
    const published = Object.values(readCompose(file, GIVEN).services).flatMap((service) => service.ports ?? []);
    expect(published).toContain("127.0.0.1:9464:9464");
  }
});

test("Grafana finds the dashboards where they are mounted, and Prometheus where it listens", () => {
  const { grafana, prometheus } = readCompose("compose.monitoring.yaml", GIVEN).services;
  const provisioning = (file: string) =>
    parse(readFileSync(join(DEPLOY, "grafana", "provisioning", file), "utf8"), { schema: "core" });
  const { providers } = provisioning("dashboards/svc.yml");
  expect(grafana.volumes).toContain(`./grafana/dashboards:${providers[0].options.path}:ro`);
  const { datasources } = provisioning("datasources/prometheus.yml");
  const url = new URL(interpolate(datasources[0].url, grafana.environment!));
  expect(prometheus.command).toContain(`--web.listen-address=${url.host}`);
});

test("a variable that an operator must set has no default", () => {
  expect(() => readCompose("compose.yaml", {})).toThrow("variable ETHEREUM_HOSTS is not set");
  const variable = (text: string): string => ["$", "{", text, "}"].join("");
  expect(interpolate(`a ${variable("X:-b")} ${variable("Y")} ${variable("Z:?why")}`, { Y: "c", Z: "d" })).toBe(
    "a b c d",
  );
});
