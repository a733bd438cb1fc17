/**
 * Runs nodes of this project in a running network of reference nodes and compares what both sides see:
 *
 *   node test/p2p/live/mixed-network.ts --control SCRIPT --network NAME --file NETWORK_FILE --folder FOLDER
 *     [--traffic COMMAND] [--minutes 30] [--port 23700] [--node-options OPTIONS]
 *     [--steps introduce,watch,statistics,ask,observe,authenticate,catch-up,restart]
 *
 * SCRIPT has the commands `env NAME`, `stop NAME NODE` and `start NAME NODE [VARIABLE=VALUE ...]`. COMMAND is given
 * JSON-RPC URLs with commas between them, a number of rounds and txs per round; it sends txs to the first node and
 * prints when the others have them. OPTIONS are NODE_OPTIONS of the reference nodes that are started: with
 * `--import` of `report-mesh.mjs` they report their meshes. Logs stay in FOLDER. Exits with 1 if a check fails.
 */
import { mkdirSync } from "node:fs";
import { parseArgs } from "node:util";
import { DEFAULT_MESH } from "../../../src/p2p/gossip/gossip-service.ts";
import { Checks, say } from "../../world/live/checks.ts";
import { compareStatistics } from "../../world/live/compare-statistics.ts";
import { call, until } from "../../world/live/json-rpc.ts";
import { LiveNode } from "../../world/live/live-node.ts";
import { ReferenceControl, referenceNetwork } from "../../world/live/reference-network.ts";
import { askAll, authenticate, observed } from "./ask-both-ways.ts";
import { catchUp } from "./catch-up.ts";
import { restarts } from "./restarts.ts";
import { watchBeside } from "./watch.ts";

const { values } = parseArgs({
  options: {
    control: { type: "string" },
    network: { type: "string" },
    file: { type: "string" },
    folder: { type: "string" },
    traffic: { type: "string" },
    "node-options": { type: "string" },
    minutes: { type: "string", default: "30" },
    port: { type: "string", default: "23700" },
    steps: { type: "string", default: "introduce,watch,statistics,ask,observe,authenticate,catch-up,restart" },
  },
});
const { control: script, network: name, file, folder } = values;
if (script === undefined || name === undefined || file === undefined || folder === undefined) {
  process.stderr.write("--control, --network, --file and --folder are needed\n");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const control = new ReferenceControl(script, name, values["node-options"]);
const network = referenceNetwork(file);
const checks = new Checks();
const port = Number(values.port);

/** Settings of validators, which the nodes of this test are not. */
const NOT_TAKEN = /^(SLASH_DUPLICATE_|VALIDATOR_|LOG_|NODE_OPTIONS$)/;
const settings = Object.fromEntries(
  Object.entries(await control.environment()).filter(([variable]) => !NOT_TAKEN.test(variable)),
);
const bootnode = new LiveNode({
  ...{ name: "bootnode", folder, port, args: ["--p2p-bootstrap"] },
  environment: { P2P_IP: "127.0.0.1", P2P_LISTEN_ADDR: "127.0.0.1", L1_CHAIN_ID: "31337" },
});
const nodes: LiveNode[] = [bootnode];
const node = (of: string, at: number, bootnodes: string): LiveNode => {
  const environment = { ...settings, BOOTSTRAP_NODES: bootnodes };
  const created = new LiveNode({ name: of, folder, port: at, args: ["--node"], environment });
  nodes.push(created);
  return created;
};

/** A second node of ours that knows only our bootnode. */
async function introduced(second: LiveNode, first: string): Promise<void> {
  second.start();
  const id = await second.id();
  await checks.of("two nodes of ours find each other and the network through our bootnode and mesh", async () => {
    const seconds = await second.connectedTo([first, ...network.nodes.map((each) => each.id)]);
    const from = Date.now();
    const { topics } = await until("a report of its meshes", 120_000, async () => {
      const report = second.lines().findLast((line) => line.includes('"gossip with'));
      return report !== undefined && JSON.parse(report);
    });
    const meshes = Object.values(topics as Record<string, { mesh: number }>).map(({ mesh }) => mesh);
    const figures = { id, seconds, meshes, after: (Date.now() - from) / 1000 };
    // From Dlo peers on, a router asks no further ones into a mesh.
    return { passed: meshes.every((peers) => peers >= DEFAULT_MESH.Dlo), figures };
  });
  await second.end("SIGTERM");
}

try {
  bootnode.start();
  const ask = () => call(bootnode.url, "bootstrap_getEncodedEnr") as Promise<string>;
  const boot = await until("the bootnode's record", 60_000, ask);
  const ours = node("ours", port + 10, `${settings.BOOTSTRAP_NODES},${boot}`);
  ours.start();
  const id = await ours.id();
  say(`ours is ${id} at ${ours.url}, process ${ours.pid}`);
  const ids = network.nodes.map((each) => each.id);
  await checks.of("ours connects to all reference nodes", async () => {
    const seconds = await ours.connectedTo(ids);
    return { passed: true, figures: { seconds, peers: ids.length } };
  });

  const listed = { url: ours.url, id, address: `/ip4/127.0.0.1/tcp/${port + 10}`, enr: await ours.enr() };
  const parts = { ours: listed, network, file, control, checks };
  const steps: Record<string, () => Promise<void>> = {
    introduce: () => introduced(node("second", port + 20, boot), id),
    watch: () =>
      watchBeside({ ours, id, network, file, minutes: Number(values.minutes), traffic: values.traffic, checks }),
    statistics: () => compareStatistics(ours.url, network, checks, 12),
    ask: () => askAll(parts),
    observe: () => observed(parts, boot),
    authenticate: () => authenticate(parts),
    "catch-up": () => catchUp({ ours, network, traffic: values.traffic, checks }),
    restart: () => restarts({ ours, id, network, file, control, checks }),
  };
  for (const step of values.steps.split(",")) {
    say(`step ${step}`);
    await checks.of(`the step ${step} came to its end`, async () => {
      await steps[step]();
      return { passed: true, figures: "" };
    });
  }
} finally {
  await Promise.all(nodes.map((each) => each.end("SIGTERM")));
}
say(`${checks.count - checks.failed} passed, ${checks.failed} failed`);
process.exitCode = checks.failed === 0 ? 0 : 1;
