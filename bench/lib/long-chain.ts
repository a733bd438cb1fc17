import {
  createReadStream,
  createWriteStream,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import { RECORDED_CHAIN } from "../../src/cli/demo/recorded-chain.ts";
import { HttpError } from "../../src/http/errors.ts";
import { DevelopmentL1 } from "../../src/local-network/development-l1.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { type LocalNetwork, startOwnNetwork } from "./local-networks.ts";
import { prepareTraffic } from "./tx-load.ts";
import { TxTraffic } from "./tx-traffic.ts";
import { withoutBlobs } from "./without-blobs.ts";
import { answerTo, call, LoadError } from "./wrk.ts";

const MANIFEST = "chain.json";
const L1_STATE = "l1-state.json";
const BLOBS = "blobs";

/** Transfers of a tx, in turn: those of bots with their usual settings, and of each kind alone. */
const KINDS = [
  { privateTransfers: 1, publicTransfers: 1 },
  { privateTransfers: 1, publicTransfers: 0 },
  { privateTransfers: 0, publicTransfers: 1 },
] as const;
const SENDERS = 4;
const POLL_MS = 50;
const REFRESH_MS = 3_000;
/** Most looks at the network without another block: a count, since a paused machine does not build. */
const STALLED_LOOKS = 2_400;

/** A recorded chain of a local network: what a node needs to follow it. */
export interface LongChain {
  /** Saved anvil state, for anvil --load-state. */
  readonly l1State: string;
  /** Folder of a blob file store. */
  readonly blobs: string;
  readonly registryAddress: string;
  readonly l1ChainId: number;
  /** Number of the last block, on L1. */
  readonly blocks: number;
  readonly txs: number;
  /** 0x text of the archive root after the last block. */
  readonly archiveRoot: string;
}

export interface LongChainSize {
  readonly blocks: number;
  readonly txsPerBlock: number;
}

/** Reads a chain that makeLongChain made. Undefined if there is none in the folder. */
export function readLongChain(folder: string): LongChain | undefined {
  const file = join(folder, MANIFEST);
  if (!existsSync(file)) return undefined;
  const facts = JSON.parse(readFileSync(file, "utf8")) as Omit<LongChain, "l1State" | "blobs">;
  return { ...facts, l1State: join(folder, L1_STATE), blobs: join(folder, BLOBS) };
}

interface BlockJson {
  archive: { root: string };
  body: { txEffects: { revertCode: number }[] };
}

/** Sends txs, twice as many at a time as a block takes, until the chain on L1 has `blocks` blocks. */
async function fill(traffic: TxTraffic, size: LongChainSize, progress: (text: string) => void): Promise<void> {
  const { url } = traffic;
  let [seen, mined, sent, kind] = [0, 0, 0, 0];
  let refusal = "";
  let running = true;
  await traffic.refresh();
  const senders = Array.from({ length: SENDERS }, async () => {
    while (running) {
      if (sent - mined >= size.txsPerBlock * 2) {
        await sleep(5);
        continue;
      }
      sent++;
      try {
        await traffic.sendFresh(KINDS[kind++ % KINDS.length]);
      } catch (error) {
        if (!(error instanceof LoadError)) throw error;
        sent--;
        refusal = error.message;
        await sleep(200);
      }
    }
  });
  const watch = async (): Promise<void> => {
    let [refreshed, looks] = [performance.now(), 0];
    // Txs of the set-up are in blocks before the first of these.
    let isCounting = false;
    while (seen < size.blocks) {
      await sleep(POLL_MS);
      const tips = (await answerTo(url, call("node_getL2Tips", []))) as { checkpointed: { block: { number: number } } };
      if (!isCounting) seen = tips.checkpointed.block.number;
      isCounting = true;
      while (seen < tips.checkpointed.block.number) {
        const { body } = (await answerTo(url, call("node_getBlock", [++seen]))) as BlockJson;
        mined += body.txEffects.length;
        looks = 0;
        if (seen % 100 === 0) progress(`block ${seen}, ${mined} txs`);
      }
      if (++looks > STALLED_LOOKS) throw new LoadError(url, `no block follows ${seen}`, refusal);
      if (performance.now() - refreshed < REFRESH_MS) continue;
      // A network that does not answer in time is asked again.
      await traffic.refresh().then(
        () => {
          refreshed = performance.now();
        },
        (error: unknown) => {
          if (!(error instanceof HttpError)) throw error;
        },
      );
    }
  };
  try {
    await Promise.race([watch(), Promise.all(senders)]);
  } finally {
    running = false;
    await Promise.allSettled(senders);
  }
}

/** Waits until all blocks are on L1 and no further ones come. Returns the last one's number. */
async function settled(url: string): Promise<number> {
  for (let last = -1; ; await sleep(2_000)) {
    const tips = (await answerTo(url, call("node_getL2Tips", []))) as {
      proposed: { number: number };
      checkpointed: { block: { number: number } };
    };
    const block = tips.checkpointed.block.number;
    if (block === last && tips.proposed.number === block) return block;
    last = block;
  }
}

async function facts(network: LocalNetwork, blocks: number): Promise<Omit<LongChain, "l1State" | "blobs">> {
  const info = (await answerTo(network.url, call("node_getNodeInfo", []))) as {
    l1ContractAddresses: { registryAddress: string };
  };
  let txs = 0;
  let archiveRoot = "";
  for (let block = 1; block <= blocks; block++) {
    const { body, archive } = (await answerTo(network.url, call("node_getBlock", [block]))) as BlockJson;
    txs += body.txEffects.length;
    archiveRoot = archive.root;
  }
  const { registryAddress } = info.l1ContractAddresses;
  return { registryAddress, l1ChainId: RECORDED_CHAIN.l1ChainId, blocks, txs, archiveRoot };
}

/**
 * Makes a chain with a local network of its own and transfers, and leaves a recording of it in a folder: L1's state,
 * the blobs, and a manifest, which is written last.
 */
export async function makeLongChain(
  folder: string,
  size: LongChainSize,
  progress: (text: string) => void,
): Promise<LongChain> {
  rmSync(join(folder, BLOBS), { recursive: true, force: true });
  rmSync(join(folder, MANIFEST), { force: true });
  mkdirSync(join(folder, BLOBS), { recursive: true });
  const upload = { BLOB_FILE_STORE_UPLOAD_URL: pathToFileURL(join(folder, BLOBS)).href };
  const network = await startOwnNetwork({ ...upload, SEQ_MAX_TX_PER_BLOCK: String(size.txsPerBlock) });
  const traffic = new TxTraffic(network.url);
  try {
    progress(`the network is ready after ${network.startSeconds.toFixed(1)} s`);
    await prepareTraffic(traffic);
    await fill(traffic, size, progress);
    const manifest = await facts(network, await settled(network.url));
    progress(`${manifest.blocks} blocks, ${manifest.txs} txs; saving the state of L1`);
    const whole = join(folder, `${L1_STATE}.part`);
    await new DevelopmentL1(network.l1Url, new AbortController().signal, silentLogger).writeState(whole);
    await pipeline(createReadStream(whole), withoutBlobs(), createWriteStream(join(folder, L1_STATE)));
    rmSync(whole);
    const part = join(folder, `${MANIFEST}.part`);
    writeFileSync(part, `${JSON.stringify(manifest, undefined, 2)}\n`);
    renameSync(part, join(folder, MANIFEST));
  } finally {
    traffic.close();
    await network.stop();
  }
  const made = readLongChain(folder);
  if (made === undefined) throw new Error(`${folder} has no ${MANIFEST}`);
  return made;
}
