/**
 * Runs validators of this project in a committee with other nodes and asks one of these what it saw. The others are
 * reference nodes, or those of `svc devnet`, which is started without --control:
 *
 *   node test/validator/live/mixed-committee.ts --folder FOLDER --keys 3,4 [--slots 20] [--port 23740] [--kills 1]
 *     [--restart 2] [--control SCRIPT --network NAME --file NETWORK_FILE]
 *
 * SCRIPT has the commands `env NAME`, `stop NAME NODE` and `start NAME NODE`; --keys are the numbers of validators of
 * the network without a node, from 1, one for each of our nodes; of a devnet the last ones. With --kills one of our
 * nodes after the other is killed in the middle of a slot and started again, evenly spread over the run; with --restart
 * the other node of that number is, after them. The logs stay in FOLDER. Exits with 1 if a check fails.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Checks, say } from "../../world/live/checks.ts";
import { compareStatistics } from "../../world/live/compare-statistics.ts";
import { type DevnetNetwork, startDevnetNetwork } from "../../world/live/devnet-network.ts";
import { call, until } from "../../world/live/json-rpc.ts";
import { LiveNode } from "../../world/live/live-node.ts";
import { ReferenceControl, referenceNetwork } from "../../world/live/reference-network.ts";
import { attestingTimes } from "./attesting-times.ts";

const { values } = parseArgs({
  options: {
    control: { type: "string" },
    network: { type: "string" },
    file: { type: "string" },
    folder: { type: "string" },
    keys: { type: "string" },
    slots: { type: "string", default: "20" },
    port: { type: "string", default: "23740" },
    kills: { type: "string", default: "0" },
    restart: { type: "string" },
  },
});
const { control: script, network: name, file, folder, keys } = values;
const ofReference = script !== undefined && name !== undefined && file !== undefined;
if (!folder || !keys || (!ofReference && (script ?? name ?? file) !== undefined)) {
  process.stderr.write("--folder and --keys are needed, and --control, --network and --file go together\n");
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const numbers = keys.split(",").map(Number);

async function joinedNetwork(): Promise<DevnetNetwork> {
  if (ofReference) {
    return { network: referenceNetwork(file), control: new ReferenceControl(script, name), end: async () => {} };
  }
  const options = { validators: Math.min(...numbers) - 1, leave: numbers.length, environment: ATTENTIVE };
  return startDevnetNetwork({ folder: join(folder as string, "network"), ...options });
}

/** Nodes record offenses from the start on. */
const ATTENTIVE = { SLASH_GRACE_PERIOD_L2_SLOTS: "0" };
const { network, control, end } = await joinedNetwork();
const [{ url: reference }] = network.nodes;
const checks = new Checks();

/** The node has its own. */
const NOT_TAKEN = /^(LOG_|NODE_OPTIONS$)/;
const settings = Object.entries(await control.environment()).filter(([variable]) => !NOT_TAKEN.test(variable));

interface OwnValidator {
  attester: string;
  node: LiveNode;
}

const own = numbers.map((number, i): OwnValidator => {
  const { key, address } = network.validators[number - 1];
  const node = new LiveNode({
    name: `validator-${number}`,
    folder,
    port: Number(values.port) + 10 * i,
    args: ["--node", "--sequencer"],
    environment: { ...Object.fromEntries(settings), VALIDATOR_PRIVATE_KEYS: key },
  });
  return { attester: address.toLowerCase(), node };
});
const ownBy = new Map(own.map((each) => [each.attester, each]));

/** Slots in which a validator's node was not there from before the beginning to the end. */
const away = new Map<string, Set<number>>();
function wasAway(attester: string, from: number, back: number): void {
  const slots = away.get(attester) ?? new Set();
  for (let slot = from; slot < back; slot++) slots.add(slot);
  away.set(attester, slots);
}

const slotNow = () => Math.floor((Date.now() - network.genesisMs) / network.slotDurationMs);
const startOf = (slot: number) => network.genesisMs + slot * network.slotDurationMs;

/** Starts a node. Returns the first slot that is wholly its own. */
async function started({ node }: OwnValidator): Promise<number> {
  node.start();
  await node.connectedTo(network.nodes.map(({ id }) => id));
  return slotNow() + 2;
}

/** Kills a node in the middle of a slot and starts it again. */
async function killed(victim: OwnValidator, slot: number): Promise<void> {
  await sleep(startOf(slot) + network.slotDurationMs / 2 - Date.now());
  await victim.node.end("SIGKILL");
  const back = await started(victim);
  wasAway(victim.attester, slot, back);
  say(`killed ${victim.node.options.name} in slot ${slot}; it is a member again from slot ${back} on`);
}

/** Stops a reference node in the middle of a slot and starts it again. */
async function restarted(number: string, slot: number): Promise<void> {
  await sleep(startOf(slot) + network.slotDurationMs / 2 - Date.now());
  await control.stop(number);
  await control.start(number);
  const back = slotNow() + 3;
  wasAway(network.validators[Number(number) - 1].address.toLowerCase(), slot, back);
  say(`stopped reference node ${number} in slot ${slot}; it is a member again from slot ${back} on`);
}

type Histories = Map<string, Map<number, string>>;

/** What a sentinel saw of each validator, by slot. */
async function seenBy(url: string): Promise<Histories> {
  type Stats = { stats: Record<string, { history: { slot: number; status: string }[] }> };
  const { stats } = (await call(url, "node_getValidatorsStats")) as Stats;
  return new Map(
    Object.entries(stats).map(([validator, { history }]) => [
      validator.toLowerCase(),
      new Map(history.map(({ slot, status }) => [slot, status])),
    ]),
  );
}

/** What the reference saw once it has processed a slot. */
function histories(last: number): Promise<Histories> {
  return until(`the sentinel has processed slot ${last}`, 5 * network.slotDurationMs, async () => {
    const found = await seenBy(reference);
    return [...found.values()].some((history) => history.has(last)) && found;
  });
}

const isMissed = (status: string) => status.endsWith("-missed");

async function dutiesDone(seen: Histories, first: number, last: number): Promise<void> {
  for (const [validator, history] of seen) {
    const ours = ownBy.get(validator);
    const who = ours === undefined ? `reference validator ${validator}` : `our ${ours.node.options.name}`;
    const counts: Record<string, number> = {};
    const missed: number[] = [];
    for (let slot = first; slot <= last; slot++) {
      const status = history.get(slot) ?? "nothing expected";
      const excused = away.get(validator)?.has(slot) && isMissed(status);
      counts[excused ? `${status} while down` : status] = (counts[excused ? `${status} while down` : status] ?? 0) + 1;
      if (isMissed(status) && !excused) missed.push(slot);
    }
    checks.add(`${who} missed no duty of slots ${first} to ${last}`, missed.length === 0, { ...counts, missed });
  }
  const mined = (validator: string) =>
    [...(seen.get(validator) ?? [])].filter(
      ([slot, status]) => slot >= first && slot <= last && status === "checkpoint-mined",
    ).length;
  const figures = { ours: 0, theirs: 0 };
  for (const validator of seen.keys()) figures[ownBy.has(validator) ? "ours" : "theirs"] += mined(validator);
  checks.add("both kinds proposed checkpoints that L1 has", figures.ours > 0 && figures.theirs > 0, figures);
}

try {
  const slots = Number(values.slots);
  const kills = Number(values.kills);
  const moments = kills + (values.restart === undefined ? 0 : 1) + 1;
  const first = Math.max(...(await Promise.all(own.map(started)))) + 1;
  const last = first + slots - 1;
  for (const { attester, node } of own) say(`${attester} runs as process ${node.pid}`);
  say(`slots ${first} to ${last} count`);
  for (let kill = 0; kill < kills; kill++) {
    await killed(own[kill % own.length], first + Math.floor(((kill + 1) * slots) / moments));
  }
  if (values.restart !== undefined)
    await restarted(values.restart, first + Math.floor(((kills + 1) * slots) / moments));
  await sleep(Math.max(0, startOf(last + 1) - Date.now()));
  await dutiesDone(await histories(last), first, last);
  await checks.of("the reference recorded no offense of ours", async () => {
    const admin = reference.replace(/\d+$/, (port) => String(Number(port) + 1));
    const offenses = (await call(admin, "nodeAdmin_getSlashOffenses", "all")) as { validator: string }[];
    // Being down for an epoch is one, but only kills here are shorter.
    const ours = offenses.filter(({ validator }) => ownBy.has(validator.toLowerCase()));
    return { passed: ours.length === 0, figures: { ours: ours.length, all: offenses.length } };
  });
  await compareStatistics(own[0].node.url, network, checks, 2);
  say(`attesting took: ${JSON.stringify(attestingTimes(own.flatMap(({ node }) => node.lines())))}`);
} finally {
  await Promise.all(own.map(({ node }) => node.end("SIGTERM")));
  await end();
}
say(`${checks.count - checks.failed} passed, ${checks.failed} failed`);
process.exitCode = checks.failed === 0 ? 0 : 1;
