/**
 * Proves epochs of a running network of reference nodes with every mixture of prover node, broker and agent, each of
 * this project or of the reference:
 *
 *   node test/prover/live/combinations.ts --control SCRIPT --network NAME --file NETWORK_FILE --folder FOLDER
 *     --reference-agent COMMAND [--traffic COMMAND] [--combinations ror,rro,roo,orr,oro,oor,ooo] [--epochs 3]
 *     [--kills 0] [--reorgs 0] [--port 25900]
 *
 * A combination is three letters for prover node, broker and agent: o for ours, r for the reference's. SCRIPT has the
 * commands `env NAME`, `stop NAME PART` and `start NAME PART [VARIABLE=VALUE ...] [-- FLAG ...]`, PART also `broker`
 * and `prover`, which expects the broker at the port of `broker`; neither may run. --reference-agent starts a reference
 * agent with the settings of its environment. The --traffic COMMAND is given a JSON-RPC URL, a number of rounds and txs
 * per round. One epoch of each combination is kept short: the reference nodes must be the only validators. --kills is
 * how often parts of ours are killed in each combination, --reorgs how often the L1 blocks since the latest checkpoint
 * are taken off the chain, 40 seconds apart. Logs stay in FOLDER. Exits with 1 if a check fails.
 */
import { mkdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Checks, say } from "../../world/live/checks.ts";
import { ReferenceControl, referenceNetwork } from "../../world/live/reference-network.ts";
import { sendTraffic } from "../../world/live/traffic.ts";
import { AgentLog } from "./agent-log.ts";
import { type EpochProof, EpochProofs } from "./epoch-proofs.ts";
import { ProverParts, type RunningParts } from "./prover-parts.ts";
import { shortenNextEpoch } from "./short-epoch.ts";

const { values } = parseArgs({
  options: {
    control: { type: "string" },
    network: { type: "string" },
    file: { type: "string" },
    folder: { type: "string" },
    "reference-agent": { type: "string" },
    traffic: { type: "string" },
    combinations: { type: "string", default: "ror,rro,roo,orr,oro,oor,ooo" },
    epochs: { type: "string", default: "3" },
    kills: { type: "string", default: "0" },
    reorgs: { type: "string", default: "0" },
    port: { type: "string", default: "25900" },
  },
});
const { control: script, network: name, file, folder, "reference-agent": referenceAgent } = values;
if (!script || !name || !file || !folder || !referenceAgent) {
  process.stderr.write("--control, --network, --file, --folder and --reference-agent are needed\n");
  process.exit(2);
}
/** Begins when the first epoch is proven. */
const REORG_INTERVAL_MS = 40_000;
/** Proving an epoch takes longer on a busy machine than the epoch itself. */
const EPOCH_LIMIT_MS = 600_000;
const MESSAGE_INTERVAL_MS = 20_000;

mkdirSync(folder, { recursive: true });
const network = referenceNetwork(file);
const [{ url: reference }] = network.nodes;
const control = new ReferenceControl(script, name);
const checks = new Checks();
const epochs = Number(values.epochs);
const kills = Number(values.kills);
const reorgs = Number(values.reorgs);
const proofs = await EpochProofs.connect(JSON.parse(readFileSync(file, "utf8")), reference);
const parts = new ProverParts({
  control,
  file,
  folder,
  referenceAgent,
  port: Number(values.port),
  environment: await control.environment(),
});
await proofs.fund(parts.ownPublisher);

/** Txs and messages until `ended`, so that epochs of all shapes are proven. */
async function sendAll(ended: AbortSignal): Promise<void> {
  const messages = (async () => {
    while (!ended.aborted) {
      await proofs.sendMessage();
      await sleep(MESSAGE_INTERVAL_MS, undefined, { signal: ended }).catch(() => {});
    }
  })();
  while (values.traffic !== undefined && !ended.aborted) {
    // A wallet's own failures, such as an anchor block that was replaced, are not the prover's.
    await sendTraffic(values.traffic, [reference], 4, 4, ended).catch((error: Error) => {
      if (!ended.aborted) say(`traffic: ${error.message.slice(0, 200)}`);
    });
    await sleep(30_000, undefined, { signal: ended }).catch(() => {});
  }
  await messages;
}

async function reorganize(from: number, signal: AbortSignal): Promise<void> {
  if (reorgs > 0) await proofs.after(from, 1, EPOCH_LIMIT_MS);
  for (let i = 0; i < reorgs && !signal.aborted; i++) {
    say(`L1 loses checkpoint ${await proofs.rollBack()}`);
    await sleep(REORG_INTERVAL_MS, undefined, { signal }).catch(() => {});
  }
}

async function prove(combination: string): Promise<void> {
  const [proverNode, broker, agent] = combination.split("").map((letter) => (letter === "o" ? "ours" : "reference"));
  const title = `prover node: ${proverNode}, broker: ${broker}, agent: ${agent}`;
  say(title);
  const from = await proofs.latest();
  const began = Date.now();
  const ended = new AbortController();
  const shortening = shortenNextEpoch(network, ended.signal);
  let running: RunningParts;
  try {
    running = await parts.start(combination);
    const killing = running.kill(kills, ended.signal);
    const reorganizing = reorganize(from, ended.signal);
    await checks.of(`${title}: ${epochs} epochs are proven on L1, once each`, async () => {
      const found = await proofs.after(from, epochs, epochs * EPOCH_LIMIT_MS);
      const figures = { seconds: Math.round((Date.now() - began) / 1000), epochs: await proofs.shapes(found) };
      const isRight = ({ sender, times }: EpochProof) =>
        times === 1 && (sender === parts.ownPublisher) === (proverNode === "ours");
      return { passed: found.every(isRight), figures };
    });
    ended.abort();
    await killing;
    await reorganizing;
  } finally {
    ended.abort();
    await parts.stop();
    await shortening;
  }
  const jobs = new AgentLog(running.agentLog());
  checks.add(`${title}: the agent did jobs and none failed`, jobs.failures.length === 0 && jobs.done > 0, {
    done: jobs.done,
    byType: jobs.byType(),
    failures: jobs.failures.slice(0, 5),
  });
  if (kills + reorgs > 0) return;
  const complaints = running.complaints();
  checks.add(`${title}: no part of ours reports an error`, complaints.length === 0, {
    count: complaints.length,
    first: complaints.slice(0, 5),
  });
}

for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit(1));
const ended = new AbortController();
const sending = sendAll(ended.signal);
try {
  for (const combination of values.combinations.split(",")) {
    await checks.of(`the combination ${combination} came to its end`, async () => {
      await prove(combination);
      return { passed: true, figures: "" };
    });
  }
} finally {
  ended.abort();
}
await sending;
say(`${checks.count - checks.failed} passed, ${checks.failed} failed`);
process.exitCode = checks.failed === 0 ? 0 : 1;
