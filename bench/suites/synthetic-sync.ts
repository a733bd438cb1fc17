import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { RECORDED_CHAIN } from "../../src/cli/demo/recorded-chain.ts";
import { connectRollup } from "../../src/l1/rollup/connect.ts";
import { FollowedChain, type SyncSample } from "../lib/followed-chain.ts";
import type { Figure, SuiteResult } from "../lib/measurement.ts";
import { startRecordedL1 } from "../lib/recorded-nodes.ts";
import type { SuiteContext } from "../lib/suite.ts";
import { makeSyntheticChain } from "../lib/synthetic-chain.ts";
import { SyntheticL1 } from "../lib/synthetic-l1.ts";
import { FIGURES } from "../lib/targets.ts";

export interface SyntheticSyncOptions {
  checkpoints: number;
  txsPerBlock: number;
}

const USUAL: SyntheticSyncOptions = { checkpoints: 1_500, txsPerBlock: 4 };
const QUICK: SyntheticSyncOptions = { checkpoints: 200, txsPerBlock: 2 };
const PARTS = 10;

interface Part {
  blocks: number;
  seconds: number;
  cpuSeconds: number;
}

/** The sync in parts of equally many blocks, as well as the samples allow. */
function inParts(samples: readonly SyncSample[], last: number): Part[] {
  const at = (block: number): SyncSample =>
    samples.find((sample) => sample.block >= block) ?? samples[samples.length - 1];
  return Array.from({ length: PARTS }, (_, i) => {
    // The first part begins with the first commit, so that the start of the process is in none.
    const from = at(Math.max(1, Math.floor((i * last) / PARTS)));
    const to = at(Math.floor(((i + 1) * last) / PARTS));
    return {
      blocks: to.block - from.block,
      seconds: to.seconds - from.seconds,
      cpuSeconds: to.cpuSeconds - from.cpuSeconds,
    };
  });
}

/**
 * Sync of a chain that is made for this run without execution, behind generated answers of L1: whether a block takes
 * longer at the end of a long chain than at its beginning.
 */
export function syntheticSyncSuite(given: Partial<SyntheticSyncOptions> = {}) {
  return async ({ quick, progress }: Pick<SuiteContext, "quick" | "progress">): Promise<SuiteResult> => {
    const { checkpoints: count, txsPerBlock } = { ...(quick ? QUICK : USUAL), ...given };
    const folder = mkdtempSync(join(tmpdir(), "svc-bench-synthetic-blobs-"));
    const real = await startRecordedL1();
    let l1: SyntheticL1 | undefined;
    try {
      const { l1ChainId, registryAddress } = RECORDED_CHAIN;
      const options = { l1RpcUrls: [real.url], l1ChainId, registryAddress, ethereumSlotDuration: 12 };
      const { identity } = await connectRollup(options);
      const checkpoints = await makeSyntheticChain(folder, { identity, count, txsPerBlock }, progress);
      l1 = await SyntheticL1.start(real.url, identity, checkpoints);
      const chain = new FollowedChain({ l1Url: l1.url, registryAddress, blobStore: pathToFileURL(folder).href });
      const node = await chain.node(count);
      await node.stop();
      const parts = inParts(node.samples, count);
      const [first, last] = [parts[0], parts[PARTS - 1]];
      const rate = ({ blocks, seconds }: Part) => blocks / seconds;
      const cpu = ({ blocks, cpuSeconds }: Part) => cpuSeconds / blocks;
      const figure = (name: string, unit: Figure["unit"], value: number): Figure => ({
        ...{ kind: "figure", row: "synthetic-sync", name, unit, values: [value] },
      });
      return {
        measurements: [
          figure("blocks in the first tenth", "/s", rate(first)),
          figure("blocks in the last tenth", "/s", rate(last)),
          figure(FIGURES.lastTenth, "times", rate(first) / rate(last)),
          figure(FIGURES.lastTenthCpu, "times", cpu(last) / cpu(first)),
          figure("resident memory", "MiB", node.residentMiB),
        ],
        tables: [
          {
            title: "sync of a synthetic chain by tenths",
            rows: parts.map((part, i) => ({
              tenth: i + 1,
              blocks: part.blocks,
              "blocks/s": Math.round(rate(part)),
              "CPU of a block, ms": Number((cpu(part) * 1000).toFixed(2)),
            })),
          },
        ],
        notes: [`the synthetic chain has ${count} checkpoints with one block of ${txsPerBlock} txs each`],
      };
    } finally {
      l1?.close();
      real.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
