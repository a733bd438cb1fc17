/**
 * Lets one validator of a committee sign two proposals for its slots and another one be away for an epoch, and checks
 * that both are detected, voted on and slashed on L1:
 *
 *   node test/validator/live/slashing.ts --control SCRIPT --network NAME --file NETWORK_FILE --folder FOLDER
 *     --keys 1,2,3,4 [--offender 1] [--absent 4|none] [--tries 3] [--port 23740]
 *
 * --keys are the numbers of the validators whose nodes are ours, from 1; the absent validator's is one of them. An
 * offender of ours has two nodes, each with a data directory and a publisher of its own. SCRIPT has the commands
 * `env NAME`, and `equivocate NAME` where the offender is not ours: it runs validator 1 on node 1 and on a node `twin`,
 * without guards. Such reference nodes keep no proposed blocks and attest only to checkpoints that L1 has, so the
 * committee needs a quorum without the offender and the absent validator: with four validators nobody may be absent.
 * Epochs become proven without proofs once the honest nodes processed their slots. Amounts must be so
 * small that nobody is ejected. A try takes up to three rounds; one suffices unless the offender proposes too often or
 * never. The logs stay in FOLDER. Exits with 1 if a check fails.
 */
import { mkdirSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { privateKeyToAddress } from "viem/accounts";
import { Checks, say } from "../../world/live/checks.ts";
import { call, until } from "../../world/live/json-rpc.ts";
import { LiveNode } from "../../world/live/live-node.ts";
import { ReferenceControl, referenceNetwork } from "../../world/live/reference-network.ts";
import { DistantPort } from "./distant-port.ts";
import { OffenseWatch, type Watcher } from "./offense-watch.ts";
import { SlashingChain } from "./slashing-chain.ts";
import { checkExecutions, checkOffenses, checkVotedLists } from "./slashing-checks.ts";

/** Publisher of the offender's second node. */
const TWIN_PUBLISHER = `0x${"7a".repeat(32)}` as const;

const { values } = parseArgs({
  options: {
    control: { type: "string" },
    network: { type: "string" },
    file: { type: "string" },
    folder: { type: "string" },
    keys: { type: "string" },
    offender: { type: "string", default: "1" },
    absent: { type: "string", default: "4" },
    tries: { type: "string", default: "3" },
    port: { type: "string", default: "23740" },
  },
});
const { control: script, network: name, file, folder, keys, offender, absent } = values;
if (!script || !name || !file || !folder || !keys || !(absent === "none" || keys.split(",").includes(absent))) {
  process.stderr.write(
    "--control, --network, --file, --folder and --keys are needed, --absent must be none or one of --keys\n",
  );
  process.exit(2);
}
mkdirSync(folder, { recursive: true });
const checks = new Checks();
const control = new ReferenceControl(script, name);
const numbers = keys.split(",");

/** The node has its own. */
const NOT_TAKEN = /^(LOG_|NODE_OPTIONS$)/;
const settings = Object.fromEntries(
  Object.entries(await control.environment()).filter(([variable]) => !NOT_TAKEN.test(variable)),
);
const { validators, genesisMs, slotDurationMs, rollupAddress } = referenceNetwork(file);
const l1Url = settings.ETHEREUM_HOSTS;
const epochSlots = Number(settings.AZTEC_EPOCH_DURATION);
const chain = await SlashingChain.connect(l1Url, rollupAddress);
const { rules } = chain.proposer;
const addressOf = (number: string) => validators[Number(number) - 1].address.toLowerCase();
const offenderAddress = addressOf(offender);
const absentAddress = absent === "none" ? undefined : addressOf(absent);

function validatorNode(of: string, number: string, port: number, environment: Record<string, string> = {}): LiveNode {
  const { key } = validators[Number(number) - 1];
  return new LiveNode({
    ...{ name: of, folder: folder as string, port, args: ["--node", "--sequencer"] },
    environment: {
      ...settings,
      AZTEC_DISABLE_ADMIN_API_KEY: "true",
      VALIDATOR_PRIVATE_KEYS: key,
      ...environment,
    },
  });
}

const port = Number(values.port);
const offenderIsOurs = numbers.includes(offender);
const twinPort = port + 10 * numbers.length;
/**
 * The offender's second node. The guard of a node refuses a proposal once it has seen another one for the same
 * position, so this node is far away from all others; it knows them only because they connect to it.
 */
const twinRelay = { port: twinPort + 3, to: twinPort, delayMs: 600 };
const twin = validatorNode("twin", offender, twinPort, {
  COINBASE: `0x${"77".repeat(20)}`,
  SEQ_PUBLISHER_PRIVATE_KEY: TWIN_PUBLISHER,
  P2P_DISCOVERY_DISABLED: "true",
  P2P_BROADCAST_PORT: String(twinRelay.port),
});
/** Our nodes by number; the twin is not among them. */
const nodes = new Map<string, LiveNode>();
let relay: DistantPort | undefined;

const slotNow = () => Math.floor((Date.now() - genesisMs) / slotDurationMs);
const startOf = (slot: number) => genesisMs + slot * slotDurationMs;
const sleepUntil = (time: number, signal?: AbortSignal) =>
  sleep(Math.max(0, time - Date.now()), undefined, { signal: signal as AbortSignal });
const firstSlotOf = (round: number) => round * rules.roundSize;

/** Returns one node of each validator. */
async function startAll(): Promise<Watcher[]> {
  const known: Record<string, string> = {};
  if (offenderIsOurs) {
    relay = new DistantPort(twinRelay);
    twin.start();
    known.P2P_PRIVATE_PEERS = await twin.enr();
  }
  for (const [i, number] of numbers.entries()) {
    const node = validatorNode(`validator-${number}`, number, port + 10 * i, known);
    nodes.set(number, node);
    node.start();
  }
  const network = referenceNetwork(file as string);
  const ours = [...nodes.values(), ...(offenderIsOurs ? [twin] : [])];
  const [own] = await Promise.all([
    Promise.all(ours.map((node) => node.id())),
    offenderIsOurs ? undefined : control.equivocate(),
  ]);
  const ids = [...network.nodes.map(({ id }) => id), ...own];
  await Promise.all([...nodes.values()].map((node, i) => node.connectedTo(ids.filter((id) => id !== own[i]))));
  return [
    ...numbers.map((number) => {
      const { options, url } = nodes.get(number) as LiveNode;
      return { name: options.name, validator: addressOf(number), url, isOurs: true };
    }),
    ...network.nodes.map((node) => {
      const validator = addressOf(node.name);
      return { name: `reference ${node.name}`, validator, url: node.url, isOurs: false };
    }),
  ];
}

const lastProcessedBy = async ({ url }: Watcher) =>
  ((await call(url, "node_getValidatorsStats")) as { lastProcessedSlot?: number }).lastProcessedSlot ?? -1;

/** Number of the last checkpoint before a slot; undefined if there is none. */
async function lastCheckpointBefore(slot: number, { url }: Watcher): Promise<number | undefined> {
  const latest = (await call(url, "node_getCheckpointNumber")) as number;
  const first = Math.max(1, latest - 2 * rules.roundSize);
  type Answer = { checkpoint: { number: number; header: { slotNumber: number } } }[];
  const found = (await call(url, "node_getCheckpoints", first, 2 * rules.roundSize + 1)) as Answer;
  return found.findLast(({ checkpoint }) => Number(checkpoint.header.slotNumber) < slot)?.checkpoint.number;
}

/** Makes each epoch, from the next one on, proven once all watchers have processed its slots. */
async function proveEpochs(watchers: readonly Watcher[], signal: AbortSignal): Promise<void> {
  for (let epoch = Math.floor(slotNow() / epochSlots) + 1; ; epoch++) {
    const end = (epoch + 1) * epochSlots;
    await sleepUntil(startOf(end + 1), signal);
    const processed = async () => (await Promise.all(watchers.map(lastProcessedBy))).every((slot) => slot >= end - 1);
    await until(`epoch ${epoch} is processed`, 4 * slotDurationMs, processed);
    const checkpoint = await lastCheckpointBefore(end, watchers[0]);
    if (checkpoint !== undefined) await chain.prove(checkpoint);
    say(`epoch ${epoch} is proven up to checkpoint ${checkpoint}`);
  }
}

/** Takes the absent validator's node away for an epoch, from the middle of the slot before it. */
async function awayIn(epoch: number): Promise<void> {
  const absentNode = nodes.get(absent) as LiveNode;
  await sleepUntil(startOf(epoch * epochSlots) - slotDurationMs / 2);
  await absentNode.end("SIGTERM");
  say(`${absentNode.options.name} is away in epoch ${epoch}`);
  await sleepUntil(startOf((epoch + 1) * epochSlots));
  absentNode.start();
  await absentNode.id();
  say(`${absentNode.options.name} is back in slot ${slotNow()}`);
}

function nameOf(address: string): string {
  if (address === privateKeyToAddress(TWIN_PUBLISHER).toLowerCase()) return "our twin";
  const number = String(validators.findIndex((validator) => validator.address.toLowerCase() === address) + 1);
  return `${numbers.includes(number) ? "our" : "reference"} ${number}`;
}

const stakes = async () =>
  new Map(
    await Promise.all(
      validators.map(async ({ address }) => [address.toLowerCase(), await chain.stake(address)] as const),
    ),
  );
const over = new AbortController();
let watch: OffenseWatch | undefined;
try {
  await call(l1Url, "anvil_setBalance", privateKeyToAddress(TWIN_PUBLISHER), "0x21e19e0c9bab2400000");
  const before = await stakes();
  const all = await startAll();
  const watchers = all.filter(({ validator }) => validator !== offenderAddress && validator !== absentAddress);
  const since = slotNow() + 1;
  say(`all nodes are connected in slot ${since - 1}; rounds have ${rules.roundSize} slots, quorum ${rules.quorum}`);
  const offenses = new OffenseWatch(all);
  watch = offenses;
  offenses.start();
  const proving = proveEpochs(watchers, over.signal).catch((error: unknown) => {
    if (!over.signal.aborted) checks.add("epochs are proven", false, String(error));
  });

  const isSlashed = async (validator: string) => (await chain.stake(validator)) < (before.get(validator) as bigint);
  const absentSlashed = async () => absentAddress === undefined || (await isSlashed(absentAddress));
  const allSlashed = async () => (await isSlashed(offenderAddress)) && (await absentSlashed());
  /** Resolves with false when the time is over. */
  const allSlashedBefore = (time: number) =>
    until("all guilty are slashed", time - Date.now(), allSlashed).catch(() => false);
  for (let attempt = 1; attempt <= Number(values.tries) && !(await allSlashed()); attempt++) {
    const round = Math.floor(slotNow() / rules.roundSize) + 1;
    const voting = round + rules.offsetInRounds;
    say(`try ${attempt}: offenses of round ${round} are voted on in round ${voting}`);
    if (!(await absentSlashed())) await awayIn(firstSlotOf(round) / epochSlots);
    if (await allSlashedBefore(startOf(firstSlotOf(voting + 1) - 2))) break;
    await checkVotedLists(watchers, voting, checks);
    await allSlashedBefore(startOf(firstSlotOf(voting + rules.executionDelayInRounds + 1) + 4));
  }
  await sleep(slotDurationMs);
  await offenses.look();
  over.abort();
  await proving;

  const guilty = { offender: offenderAddress, absent: absentAddress };
  checkOffenses({ watchers, offenses, guilty, epochSlots, since }, checks);
  const knownTo = (validator: string) =>
    all.filter((each) => each.validator === validator).flatMap((each) => offenses.of(each));
  await checkExecutions({ chain, guilty, knownTo, epochSlots, startOf, before, nameOf }, checks);
} finally {
  over.abort();
  watch?.stop();
  await Promise.all([...nodes.values(), twin].map((node) => node.end("SIGTERM")));
  relay?.close();
}
say(`${checks.count - checks.failed} passed, ${checks.failed} failed`);
process.exitCode = checks.failed === 0 ? 0 : 1;
