/**
 * Runs two pairs of nodes with one validator key each in a committee with reference nodes: two nodes of this project,
 * and one of this project with a reference node. The nodes of a pair share a PostgreSQL database. Nodes are killed, the
 * database is restarted, and a peer without keys reads from the gossip what was signed:
 *
 *   node test/validator/live/ha-pairs.ts --control SCRIPT --network NAME --file NETWORK_FILE --folder FOLDER
 *     [--keys 3,4] [--slots 50] [--every 4] [--port 23740] [--traffic COMMAND] [--rounds 12]
 *
 * SCRIPT has the commands `env NAME`, `stop NAME NODE SIGNAL` and `start NAME NODE VARIABLE=VALUE ...`; --keys are the
 * numbers of two validators of the network without a node. A fault comes every --every slots. COMMAND is given the URL
 * of a reference node, --rounds and 4; it sends 4 txs in each round, so that checkpoints have several blocks and nodes
 * of a pair build different ones. The logs and the messages of the gossip (gossip.jsonl) stay in FOLDER. Exits with 1
 * if a check fails.
 */
import { execFile } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs, promisify } from "node:util";
import { createPublicClient, http, parseAbi } from "viem";
import { Checks, say } from "../../world/live/checks.ts";
import { call } from "../../world/live/json-rpc.ts";
import { LiveNode } from "../../world/live/live-node.ts";
import { ReferenceControl, referenceNetwork } from "../../world/live/reference-network.ts";
import { sendTraffic } from "../../world/live/traffic.ts";
import { PostgresServer } from "../../world/validator/postgres-server.ts";
import { GossipListener } from "./gossip-listener.ts";
import { compareRows, type DutyRow, dutiesOf, signedBy } from "./ha-duties.ts";
import { HaFaults } from "./ha-faults.ts";
import { ownMember, type Pair, pairSettings, referenceMember } from "./ha-pair.ts";

const { values } = parseArgs({
  options: {
    control: { type: "string" },
    network: { type: "string" },
    file: { type: "string" },
    folder: { type: "string" },
    keys: { type: "string", default: "3,4" },
    slots: { type: "string", default: "50" },
    every: { type: "string", default: "4" },
    port: { type: "string", default: "23740" },
    traffic: { type: "string" },
    rounds: { type: "string", default: "12" },
  },
});
const { control: script, network: name, file, folder } = values;
if (!script || !name || !file || !folder) {
  process.stderr.write("--control, --network, --file and --folder are needed\n");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const network = referenceNetwork(file);
const control = new ReferenceControl(script, name);
const checks = new Checks();
const { genesisMs, slotDurationMs } = network;
const slotNow = () => Math.floor((Date.now() - genesisMs) / slotDurationMs);
const startOf = (slot: number) => genesisMs + slot * slotDurationMs;

/** The node has its own. */
const NOT_TAKEN = /^(LOG_|NODE_OPTIONS$)/;
const environment = await control.environment();
const settings = Object.fromEntries(Object.entries(environment).filter(([variable]) => !NOT_TAKEN.test(variable)));

const [ownNumber, sharedNumber] = values.keys.split(",");
const validator = (number: string) => network.validators[Number(number) - 1];
const SVC = join(import.meta.dirname, "../../../src/cli/main.ts");

/** A database with the tables, made by the command for it. */
async function databaseOf(server: PostgresServer, database: string): Promise<string> {
  const url = await server.createDatabase(database);
  const DATABASE_URL = url;
  const { stdout } = await promisify(execFile)(process.execPath, [SVC, "migrate-ha-db", "up"], {
    env: { ...process.env, DATABASE_URL },
  });
  say(`${database}: ${stdout.trim()}`);
  return url;
}

const nodes: LiveNode[] = [];
function ownNode(member: string, number: string, url: string): LiveNode {
  const node = new LiveNode({
    name: member,
    folder: folder as string,
    port: Number(values.port) + 10 * nodes.length,
    args: ["--node", "--sequencer"],
    environment: { ...settings, ...pairSettings(url, member), VALIDATOR_PRIVATE_KEYS: validator(number).key },
  });
  nodes.push(node);
  return node;
}

/** Proposers of slots, from the contract. */
async function proposersOf(first: number, last: number): Promise<Map<number, string>> {
  const client = createPublicClient({ transport: http(environment.ETHEREUM_HOSTS) });
  const abi = parseAbi(["function getProposerAt(uint256 time) view returns (address)"]);
  const proposers = new Map<number, string>();
  for (let slot = first; slot <= last; slot++) {
    const args = [BigInt(startOf(slot) / 1000)] as const;
    const address = network.rollupAddress as `0x${string}`;
    const proposer = await client.readContract({ address, abi, functionName: "getProposerAt", args });
    proposers.set(slot, proposer.toLowerCase());
  }
  return proposers;
}

async function rowsOf(server: PostgresServer, { attester, url }: Pair): Promise<DutyRow[]> {
  const rows = await server.query(
    `SELECT slot::int AS slot, duty_type AS kind, block_index_within_checkpoint AS index, status, message_hash AS hash,
       node_id AS node FROM validator_duties WHERE validator_address = $1`,
    [attester],
    url,
  );
  return rows as unknown as DutyRow[];
}

/** Counts of what the sentinel of a reference node saw of a validator in the slots. */
async function sentinelCounts(attester: string, first: number, last: number): Promise<Record<string, number>> {
  type Stats = { stats: Record<string, { history: { slot: number; status: string }[] }> };
  const { stats } = (await call(network.nodes[0].url, "node_getValidatorsStats")) as Stats;
  const entry = Object.entries(stats).find(([address]) => address.toLowerCase() === attester);
  const counts: Record<string, number> = {};
  for (const { slot, status } of entry?.[1].history ?? []) {
    if (slot >= first && slot <= last) counts[status] = (counts[status] ?? 0) + 1;
  }
  return counts;
}

/** What became of the txs, as text; the command is ended with the signal. */
async function traffic(command: string | undefined, signal: AbortSignal): Promise<string> {
  if (command === undefined) return "none";
  try {
    const { sent, mined, failed } = await sendTraffic(
      command,
      [network.nodes[0].url],
      Number(values.rounds),
      4,
      signal,
    );
    return JSON.stringify({ sent, mined, failed });
  } catch (error) {
    return signal.aborted ? "it went on until the end" : String(error);
  }
}

const end = new AbortController();
const server = await PostgresServer.create();
let listener: GossipListener | undefined;
try {
  const urls = [await databaseOf(server, "pair_one"), await databaseOf(server, "pair_two")];
  const referenceIds = network.nodes.map(({ id }) => id);
  const a = ownNode("a", ownNumber, urls[0]);
  const b = ownNode("b", ownNumber, urls[0]);
  const c = ownNode("c", sharedNumber, urls[1]);
  const dPort =
    Number(new URL(network.nodes[0].url).port) + 10 * (Number(sharedNumber) - Number(network.nodes[0].name));
  const d = { control, number: sharedNumber, url: `http://127.0.0.1:${dPort}`, name: "d" };
  const pairs: readonly [Pair, Pair] = [
    {
      attester: validator(ownNumber).address.toLowerCase(),
      database: "pair_one",
      url: urls[0],
      members: [ownMember(a, referenceIds), ownMember(b, referenceIds)],
    },
    {
      attester: validator(sharedNumber).address.toLowerCase(),
      database: "pair_two",
      url: urls[1],
      members: [ownMember(c, referenceIds), referenceMember(d, pairSettings(urls[1], d.name))],
    },
  ];
  const members = pairs.flatMap((pair) => [...pair.members]);
  await Promise.all(members.map((member) => member.start()));
  const own = await Promise.all(
    nodes.map(async (node) => ({
      id: await node.id(),
      address: `/ip4/127.0.0.1/tcp/${node.options.port}`,
      enr: await node.enr(),
    })),
  );
  listener = new GossipListener(
    [...referenceNetwork(file).nodes, ...own],
    network.version,
    join(folder, "gossip.jsonl"),
  );
  await listener.start(network);
  const first = slotNow() + 2;
  const last = first + Number(values.slots) - 1;
  say(`slots ${first} to ${last} count`);
  const txs = traffic(values.traffic, end.signal);
  const faults = new HaFaults({ pairs, database: server, listener, times: network });
  await faults.run(first, last, Number(values.every));
  await sleep(Math.max(0, startOf(last + 1) - Date.now()));
  // Sentinels count a slot some time after its end.
  await sleep(1.5 * slotDurationMs);
  end.abort();
  say(`txs: ${await txs}`);

  const { record, fewest, messages, unreadable } = listener;
  const proposers = await proposersOf(first, last);
  const { downtimes, outages, ended } = faults;
  const checkpoints = record.duties(first, last).filter(({ kind }) => kind === "CHECKPOINT_PROPOSAL").length;
  checks.add("the listener heard the committee all the time", messages > 0 && fewest.meshed > 0 && unreadable === 0, {
    ...{ slots: `${first} to ${last}`, checkpoints, messages, unreadable, fewest },
  });
  checks.add("no validator signed two messages for one duty", record.doubles().length === 0, {
    duties: record.duties(first, last).length,
    doubles: record.doubles(),
  });
  for (const pair of pairs) {
    const { attester } = pair;
    const names = pair.members.map((member) => member.name);
    const rows = await rowsOf(server, pair);
    const answer = dutiesOf({ attester, record, proposers, rows, downtimes, outages, times: network });
    checks.add(`the pair ${names} did every duty that its faults allowed`, answer.missed.length === 0, answer);
    const compared = compareRows(attester, record, rows, { first, last });
    const passed = compared.equal > 0 && compared.unlike.length === 0;
    checks.add(`every message of the pair ${names} is the one that its database has for the duty`, passed, compared);
    const counts = signedBy(rows);
    checks.add(
      `both nodes of the pair ${names} signed`,
      names.every((node) => counts[node] !== undefined),
      counts,
    );
    say(`a reference node saw of ${names}: ${JSON.stringify(await sentinelCounts(attester, first, last))}`);
  }
  for (const { address } of network.validators) {
    const attester = address.toLowerCase();
    if (pairs.some((pair) => pair.attester === attester)) continue;
    const question = { attester, record, proposers, rows: [], downtimes: [], outages: [], times: network };
    say(`reference validator ${attester}: ${JSON.stringify(dutiesOf(question))}`);
  }
  const kills = downtimes.length - ended.length;
  say(`${kills} kills, ${outages.length} restarts of the database (${outages.map(({ from, to }) => to - from)} ms)`);
  say(`nodes that ended with the database: ${ended.join(", ") || "none"}`);
  await checks.of("the reference nodes recorded no offense", async () => {
    const admin = (url: string) => url.replace(/\d+$/, (port) => String(Number(port) + 1));
    const found = await Promise.all(
      network.nodes.map(({ url }) => call(admin(url), "nodeAdmin_getSlashOffenses", "all") as Promise<unknown[]>),
    );
    return { passed: found.every((offenses) => offenses.length === 0), figures: { offenses: found } };
  });
} finally {
  end.abort();
  await listener?.stop();
  await Promise.all(nodes.map((node) => node.end("SIGTERM")));
  await control.stop(sharedNumber).catch(() => undefined);
  await server.remove();
}
say(`${checks.count - checks.failed} passed, ${checks.failed} failed`);
process.exitCode = checks.failed === 0 ? 0 : 1;
