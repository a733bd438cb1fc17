import { homedir } from "node:os";
import { join } from "node:path";
import { untilKept } from "../local-network/anvil.ts";
import { anvilBinary } from "../local-network/anvil-binary.ts";
import { textLine } from "../process/logging/log-text.ts";
import { createLogging, type NodeLogger } from "../process/logging/logging.ts";
import { type RunningService, supervise } from "../process/supervise.ts";
import { Teardown } from "../process/teardown.ts";
import { lockDirectory } from "../storage/directory-lock.ts";
import { replaceFile } from "../storage/replace-file.ts";
import { CombinedLog } from "./combined-log.ts";
import { readyToContinue } from "./continued.ts";
import { type ControlAnswer, type ControlRequest, requireSocketPath, serveControl } from "./control.ts";
import { deployDevnet, deploymentParameters, devnetConfiguration, l1Genesis } from "./deploy.ts";
import { nextAttested } from "./first-attestation.ts";
import { type DeployedDevnet, DevnetFolder, type DevnetRecord } from "./folder.ts";
import { requireHaproxy } from "./haproxy.ts";
import { makeValidatorKeys, type Program, proverKeys, validatorKeys } from "./keys.ts";
import { L1Part } from "./l1-part.ts";
import { Network } from "./network.ts";
import { servePage } from "./page.ts";
import {
  committee,
  type DevnetFlags,
  devnetRequest,
  leftNames,
  leftPort,
  newPlan,
  type PlannedNode,
  PORT_OF,
  plannedNodes,
  requireSamePlan,
} from "./plan.ts";
import { freeBasePort, requireFreePorts } from "./ports.ts";
import { ProcessWatch, untilEnded } from "./process-watch.ts";
import { leftSettings, type NetworkFacts, shellFile } from "./settings.ts";
import { summary } from "./summary.ts";

/** Wei that each account which publishes has on L1 at the start. */
const FUNDS = 1_000n * 10n ** 18n;
/** Nodes end in stages, and L1 writes its chain. What is left then is ended by the watch. */
const STOP_LIMIT_MS = 60_000;
const OWN_NAME = "devnet";
/** Of the plan's prover node. */
const PROVER = "prover";

/** Where a network is kept unless --data-directory names another folder. */
export function devnetFolder({ dataDirectory }: Pick<DevnetFlags, "dataDirectory">): DevnetFolder {
  return new DevnetFolder(dataDirectory ?? join(homedir(), ".svc", "devnet"));
}

interface Start {
  folder: DevnetFolder;
  /** Without its contracts for a new network. */
  record: Omit<DevnetRecord, "format">;
  nodes: readonly PlannedNode[];
  program: Program;
  combined: CombinedLog;
  log: NodeLogger;
  signal: AbortSignal;
  /** Ends the network. */
  end: () => void;
}

/** What a start does before it starts anything. Throws an OperatorError for what the user can mend. */
async function prepared(flags: DevnetFlags): Promise<Pick<Start, "folder" | "record" | "nodes">> {
  const { given, basePort } = devnetRequest(flags);
  const folder = devnetFolder(flags);
  requireSocketPath(folder);
  const kept = folder.record();
  const plan = kept?.plan ?? newPlan(given);
  if (kept !== undefined) requireSamePlan(given, kept.plan, folder.path);
  anvilBinary();
  if (plan.haproxy) requireHaproxy();
  const base = basePort ?? kept?.basePort ?? (await freeBasePort(plan));
  const record = { plan, basePort: base, deployed: kept?.deployed };
  return { folder, record, nodes: plannedNodes(plan, base) };
}

/** Makes the keys, starts L1 and deploys the contracts, or continues with those of an earlier start. */
async function startL1(start: Start): Promise<{ l1: L1Part; deployed: DeployedDevnet }> {
  const { folder, record, program, log, signal } = start;
  const { plan } = record;
  const parameters = deploymentParameters(plan, process.env);
  const names = [...start.nodes.filter(({ role }) => role === "validator").map(({ name }) => name), ...leftNames(plan)];
  readyToContinue(folder, record, plan.prover ? [...names, PROVER] : names);
  await makeValidatorKeys(names, folder, program);
  const keys = await Promise.all(names.map((name) => validatorKeys(name, folder)));
  const prover = plan.prover ? [await proverKeys(PROVER, folder)] : [];
  const [{ port }] = start.nodes;
  const l1 = new L1Part({ folder, port, genesis: l1Genesis(parameters), log, signal });
  await l1.start();
  if (record.deployed !== undefined) {
    await l1.follow(record.deployed);
    return { l1, deployed: record.deployed };
  }
  log.info({ validators: names.length }, "deploying the L1 contracts with {validators:validator}");
  const initial = keys.map((one) => one.initial);
  const options = { url: l1.l1.url, parameters, validators: initial, onProgress: () => {}, logger: log, signal };
  const deployed = await deployDevnet(options);
  for (const address of [...keys.flatMap(({ publishers }) => publishers), ...prover]) {
    await l1.l1.setBalance(address, FUNDS);
  }
  folder.write({ ...record, deployed });
  await l1.follow(deployed);
  return { l1, deployed };
}

/** Writes the settings of validators that are left to others. Returns the files by name. */
function writeLeftSettings(facts: NetworkFacts, basePort: number): ReadonlyMap<string, string> {
  const files = leftNames(facts.plan).map((name, i): [string, string] => {
    const file = join(facts.folder.settings, `${name}.env`);
    replaceFile(file, shellFile(leftSettings(name, leftPort(facts.plan, basePort, i), facts, process.env)));
    return [name, file];
  });
  return new Map(files);
}

async function startNetwork(start: Start): Promise<RunningService> {
  const { folder, record, nodes, log, signal, end } = start;
  const from = performance.now();
  const teardown = new Teardown(log);
  const seconds = () => Math.round((performance.now() - from) / 1000);
  try {
    folder.make();
    const lock = lockDirectory(folder.path, () => end());
    process.once("exit", () => lock.release());
    await untilEnded(folder.watchFile, signal);
    await untilKept(folder.l1State, signal);
    await requireFreePorts(record.plan, record.basePort);
    folder.write(record);
    const watch = new ProcessWatch(folder.watchFile);
    teardown.add("watch", () => watch.end());
    const { l1, deployed } = await startL1(start);
    const network = new Network({ ...start, l1, watch });
    teardown.add("network", () => network.stop());
    const facts: NetworkFacts = { plan: record.plan, folder, nodes, deployed, bootnode: await network.startBootnode() };
    const left = writeLeftSettings(facts, record.basePort);
    const server = await serveControl(folder.controlSocket, async (request: ControlRequest): Promise<ControlAnswer> => {
      if (request.action !== "stop" || request.name !== undefined) return network.handle(request);
      setImmediate(end);
      return { done: "the network is being stopped" };
    });
    teardown.add("control", server.close);
    const page = await servePage(record.basePort + PORT_OF.page, () => network.status());
    teardown.add("page", () => page.close().closeAllConnections());
    await network.startNodes(facts);
    process.stdout.write(
      summary({
        facts,
        status: await network.status(),
        left,
        page: record.basePort + PORT_OF.page,
        seconds: seconds(),
      }),
    );
    const ports = nodes.filter(({ role }) => role === "validator").map(({ port }) => port);
    void nextAttested(ports, signal).then(
      ({ number, slot, attested }) => {
        const { size } = committee(record.plan);
        log.info(
          { number, slot, attested, size, seconds: seconds() },
          "ready: checkpoint {number} of slot {slot} is on L1 with attestations of {attested} of {size} validators",
        );
      },
      () => undefined,
    );
    return { stop: () => teardown.run() };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

/** Runs `svc devnet`: a network of processes of this program, until it is stopped. Throws an OperatorError. */
export async function runDevnet(flags: DevnetFlags, program: Program): Promise<void> {
  const { values, warnings } = devnetConfiguration(process.env);
  const ready = await prepared(flags);
  const combined = new CombinedLog(process.stdout, [OWN_NAME, ...ready.nodes.map(({ name }) => name)]);
  const loggerFor = createLogging({
    filter: values.logLevel,
    json: true,
    secrets: [],
    write: (line) => combined.line(OWN_NAME, textLine(line).trimEnd()),
  });
  const log = loggerFor(OWN_NAME);
  for (const warning of warnings) log.warn(warning);
  const start = (signal: AbortSignal, _fail: unknown, end: () => void) =>
    startNetwork({ ...ready, program, combined, log, signal, end });
  await supervise(start, { log, stopLimitMs: STOP_LIMIT_MS });
}
