import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ProposedBlock } from "../../src/archiver/rebuilt-checkpoint.ts";
import { completeCheckpoint } from "../../src/checkpoints/complete-checkpoint.ts";
import { composeBlockHeader, sharedHeader } from "../../src/checkpoints/compose-block-header.ts";
import { RECORDED_CHAIN } from "../../src/cli/demo/recorded-chain.ts";
import type { Core } from "../../src/core/core.ts";
import { blockHash } from "../../src/core/derive/block-hash.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { BlobCommitments } from "../../src/l1/blobs/blob-commitments.ts";
import { blobKey, HEALTHCHECK_CONTENT, healthcheckKey, writeBlobFile } from "../../src/l1/blobs/file-store-source.ts";
import { SetupPoints } from "../../src/l1/blobs/setup-points.ts";
import type { RollupIdentity } from "../../src/l1/types.ts";
import { genesisPublicData } from "../../src/network/genesis.ts";
import { HEADER_AT } from "../../src/protocol/block-header.ts";
import { concat, fromHex } from "../../src/protocol/bytes.ts";
import { blockWords } from "../../src/protocol/checkpoint-blob-writer.ts";
import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  L1_TO_L2_MESSAGES_PER_CHECKPOINT,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
} from "../../src/protocol/constants.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { epochOfSlot, slotTimestamp } from "../../src/protocol/time.ts";
import type { TxEffect } from "../../src/protocol/tx-effect.ts";
import { txEffectFromParts } from "../../src/protocol/tx-effect-words.ts";
import { openStore, type Store } from "../../src/storage/store.ts";
import type { Fork } from "../../src/world-state/fork.ts";
import { genesisContent } from "../../src/world-state/genesis.ts";
import type { BlockEffects } from "../../src/world-state/types.ts";
import { WorldState } from "../../src/world-state/world-state.ts";
import { applyTxs, randomTx } from "./next-block.ts";
import { SeededBytes } from "./seeded-bytes.ts";

/** A checkpoint of one block, as L1 tells of it. */
export interface SyntheticCheckpoint {
  checkpointNumber: number;
  slot: number;
  timestamp: number;
  header: Uint8Array;
  hash: Uint8Array;
  archiveRoot: Uint8Array;
  commitments: Uint8Array[];
  versionedBlobHashes: Uint8Array[];
}

/** Contents of each tx: about those of a private transfer that pays its fee. */
const SHAPE = { noteHashes: 2, nullifiers: 2, publicDataWrites: 1 };
const PRIVATE_LOG_WORDS = 16;
const MANA = 1_000;
/** Blocks that are worked out on one fork before they are applied to the generator's own state. */
const BLOCKS_PER_FORK = 64;

function syntheticTx(random: SeededBytes): TxEffect {
  const log = concat(...Array.from({ length: PRIVATE_LOG_WORDS }, () => random.field()));
  return txEffectFromParts({ ...randomTx(SHAPE, random), privateLogs: [log] });
}

interface Parts {
  core: Core;
  identity: RollupIdentity;
  random: SeededBytes;
  txsPerBlock: number;
}

/** The next block on a fork, without any execution: its header is as the builder composes one. */
function nextProposed(fork: Fork, number: number, parts: Parts): { block: ProposedBlock; effects: BlockEffects } {
  const { core, identity, random, txsPerBlock } = parts;
  const txs = Array.from({ length: txsPerBlock }, () => syntheticTx(random));
  const archive = fork.snapshot(ARCHIVE);
  fork.append(L1_TO_L2_MESSAGE_TREE, [], L1_TO_L2_MESSAGES_PER_CHECKPOINT);
  applyTxs(fork, txs);
  const shared = sharedHeader({
    checkpointNumber: number,
    slot: number,
    timestamp: slotTimestamp(number, identity.constants),
    chainId: identity.l1ChainId,
    version: identity.rollupVersion,
    coinbase: new Uint8Array(20),
    feeRecipient: fr(0),
    gasFees: { feePerDaGas: 1n, feePerL2Gas: 1n },
    limits: {},
  });
  const trees = {
    [ARCHIVE]: archive,
    [NULLIFIER_TREE]: fork.snapshot(NULLIFIER_TREE),
    [NOTE_HASH_TREE]: fork.snapshot(NOTE_HASH_TREE),
    [PUBLIC_DATA_TREE]: fork.snapshot(PUBLIC_DATA_TREE),
    [L1_TO_L2_MESSAGE_TREE]: fork.snapshot(L1_TO_L2_MESSAGE_TREE),
  };
  const header = composeBlockHeader(shared, trees, { blockNumber: number, totalFees: fr(0), totalMana: MANA });
  const body = concat(...txs.map(({ words }) => words));
  const sponge = core.blobSponge();
  sponge.absorb(blockWords({ header, body, txCount: txs.length }, true));
  header.set(sponge.squeeze(), HEADER_AT.spongeBlobHash);
  const hash = blockHash(core, header);
  fork.append(ARCHIVE, [hash]);
  const archiveRoot = fork.snapshot(ARCHIVE).root;
  const record = { number, hash, header, archiveRoot, checkpointNumber: number, indexWithinCheckpoint: 0 };
  return {
    block: {
      record: { ...record, txCount: txs.length },
      body,
      txs,
      contractEvents: { classes: [], instances: [], updates: [], refused: [] },
    },
    effects: { header, blockHash: hash, archiveRoot, txs, l1ToL2Messages: [] },
  };
}

/**
 * Makes a valid chain of `count` checkpoints with one block each on the genesis of a local network, by the code of the
 * builder and without execution, in slots 1, 2, .. Writes each blob, with its commitment, to a file store.
 */
export async function makeSyntheticChain(
  blobs: string,
  { identity, count, txsPerBlock }: { identity: RollupIdentity; count: number; txsPerBlock: number },
  progress: (text: string) => void,
): Promise<SyntheticCheckpoint[]> {
  const folder = mkdtempSync(join(tmpdir(), "svc-bench-synthetic-"));
  let store: Store | undefined;
  try {
    store = openStore({ path: folder, mapSizeKb: 64 * 1024 * 1024 });
    const core = loadCore();
    const funded = [fromHex(RECORDED_CHAIN.prefundAddresses)];
    const genesis = genesisPublicData(core, { testAccounts: true, sponsoredFpc: true, prefundAddresses: funded }, V4);
    const world = new WorldState(core, store, genesisContent(V4, genesis));
    const points = new SetupPoints();
    const commitments = new BlobCommitments(points, () => {
      throw new RangeError("a synthetic blob has too many words");
    });
    const kzg = { commitment: async (blob: Uint8Array) => commitments.commit(blob) };
    const network = {
      ...{ l1ChainId: identity.l1ChainId, rollupVersion: identity.rollupVersion },
      rollupAddress: identity.addresses.rollupAddress,
    };
    const write = (key: string, bytes: Uint8Array | string): void => {
      mkdirSync(dirname(join(blobs, key)), { recursive: true });
      writeFileSync(join(blobs, key), bytes);
    };
    write(healthcheckKey(network), HEALTHCHECK_CONTENT);
    const parts: Parts = { core, identity, random: new SeededBytes(5), txsPerBlock };
    const made: SyntheticCheckpoint[] = [];
    let outHashes: { epoch: number; hashes: Uint8Array[] } = { epoch: 0, hashes: [] };
    while (made.length < count) {
      const fork = world.fork();
      const effects: BlockEffects[] = [];
      for (let i = 0; i < BLOCKS_PER_FORK && made.length < count; i++) {
        const number = made.length + 1;
        const next = nextProposed(fork, number, parts);
        effects.push(next.effects);
        const epoch = epochOfSlot(number, identity.constants);
        if (epoch !== outHashes.epoch) outHashes = { epoch, hashes: [] };
        const built = { checkpointNumber: number, blocks: [next.block], messages: [] };
        const completed = await completeCheckpoint(
          { ...built, previousOutHashes: outHashes.hashes },
          { core, generation: V4, kzg },
        );
        outHashes.hashes.push(completed.outHash);
        completed.blobs.forEach((data, k) => {
          const [commitment, versionedHash] = [completed.commitments[k], completed.versionedBlobHashes[k]];
          write(blobKey(network, versionedHash), writeBlobFile({ data, commitment, versionedHash }));
        });
        const { header, hash, archiveRoot, versionedBlobHashes } = completed;
        made.push({
          ...{ checkpointNumber: number, slot: number, timestamp: slotTimestamp(number, identity.constants) },
          ...{ header, hash, archiveRoot, commitments: completed.commitments, versionedBlobHashes },
        });
        if (number % 500 === 0) progress(`${number} checkpoints are made`);
      }
      const prepared = await world.prepare(effects);
      store.transaction(() => world.write(prepared));
    }
    return made;
  } finally {
    await store?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
