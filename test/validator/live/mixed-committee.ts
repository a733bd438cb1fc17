/**
 * Runs a validator of this project in a committee of reference nodes and asks them what they saw of it:
 *
 *   node test/validator/live/mixed-committee.ts --control SCRIPT --network NAME --file NETWORK_FILE --folder FOLDER
 *     --key NUMBER [--slots 20] [--port 23740] [--kill]
 *
 * SCRIPT has the command `env NAME`; NUMBER is that of a validator of the network without a node, from 1. With --kill the
 * node is killed in the middle of the run and started again. The log stays in FOLDER. Exits with 1 if a check fails.
 */
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Checks, say } from "../../p2p/live/checks.ts";
import { compareStatistics } from "../../p2p/live/compare-statistics.ts";
import { call, until } from "../../p2p/live/json-rpc.ts";
import { LiveNode } from "../../p2p/live/live-node.ts";
import { ReferenceControl, referenceNetwork } from "../../p2p/live/reference-network.ts";

const { values } = parseArgs({
  options: {
    control: { type: "string" },
    network: { type: "string" },
    file: { type: "string" },
    folder: { type: "string" },
    key: { type: "string" },
    slots: { type: "string", default: "20" },
    port: { type: "string", default: "23740" },
    kill: { type: "boolean", default: false },
  },
});
const { control: script, network: name, file, folder, key: number } = values;
if (!script || !name || !file || !folder || !number) {
  process.stderr.write("--control, --network, --file, --folder and --key are needed\n");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const network = referenceNetwork(file);
const { key, address } = network.validators[Number(number) - 1];
const attester = address.toLowerCase();
const [{ url: reference }] = network.nodes;
const checks = new Checks();

/** Settings of parts that this version does not have. */
const NOT_TAKEN = /^(SLASH_DUPLICATE_|LOG_|NODE_OPTIONS$)/;
const settings = Object.entries(await new ReferenceControl(script, name).environment()).filter(
  ([variable]) => !NOT_TAKEN.test(variable),
);
const environment = { ...Object.fromEntries(settings), VALIDATOR_PRIVATE_KEYS: key };
const args = ["--node", "--sequencer"];
const node = new LiveNode({ name: "validator", folder, port: Number(values.port), args, environment });

const slotNow = () => Math.floor((Date.now() - network.genesisMs) / network.slotDurationMs);
const endOf = (slot: number) => network.genesisMs + (slot + 1) * network.slotDurationMs;

/** Starts the node. Returns the first slot that is wholly its own. */
async function started(): Promise<number> {
  node.start();
  await node.connectedTo(network.nodes.map(({ id }) => id));
  return slotNow() + 2;
}

/** What the reference's sentinel saw of the validator, by slot. */
async function seen(): Promise<Map<number, string>> {
  type Stats = { stats: Record<string, { history: { slot: number; status: string }[] }> };
  const { stats } = (await call(reference, "node_getValidatorsStats")) as Stats;
  return new Map(stats[attester]?.history.map(({ slot, status }) => [slot, status]));
}

/** Checks every slot from `first` to `last`. */
async function allDuties(first: number, last: number): Promise<void> {
  await checks.of(`the reference saw every duty of slots ${first} to ${last}`, async () => {
    const history = await until(`the sentinel has processed slot ${last}`, 5 * network.slotDurationMs, async () => {
      const found = await seen();
      return Math.max(...found.keys()) >= last && found;
    });
    const counts: Record<string, number> = {};
    for (let slot = first; slot <= last; slot++) {
      const status = history.get(slot) ?? "nothing expected";
      counts[status] = (counts[status] ?? 0) + 1;
    }
    const missed = Object.keys(counts).filter((status) => status.endsWith("-missed"));
    return { passed: missed.length === 0 && (counts["attestation-sent"] ?? 0) > 0, figures: counts };
  });
}

try {
  const slots = Number(values.slots);
  let first = await started();
  say(`${attester} runs as process ${node.pid}, from slot ${first} on`);
  if (values.kill) {
    const middle = first + Math.floor(slots / 2);
    await sleep(endOf(middle) - network.slotDurationMs / 2 - Date.now());
    await node.end("SIGKILL");
    await allDuties(first, middle - 1);
    first = await started();
    say(`killed in slot ${middle}, and again a member from slot ${first} on`);
  }
  const last = first + Math.ceil(slots / (values.kill ? 2 : 1)) - 1;
  await sleep(Math.max(0, endOf(last) - Date.now()));
  await allDuties(first, last);
  await compareStatistics(node.url, network, checks, 1);
  await checks.of("the reference recorded no offense", async () => {
    const admin = reference.replace(/\d+$/, (port) => String(Number(port) + 1));
    const offenses = (await call(admin, "nodeAdmin_getSlashOffenses", "all")) as { validator: string }[];
    const own = offenses.filter(({ validator }) => validator.toLowerCase() === attester);
    return { passed: own.length === 0, figures: { own: own.length, all: offenses.length } };
  });
} finally {
  await node.end("SIGTERM");
}
say(`${checks.count - checks.failed} passed, ${checks.failed} failed`);
process.exitCode = checks.failed === 0 ? 0 : 1;
