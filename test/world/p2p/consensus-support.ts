import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { txHash } from "../../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import type { SlotCommittee } from "../../../src/l1/committee/slot-committees.ts";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import { AttestationPool } from "../../../src/mempool/attestations/attestation-pool.ts";
import { Equivocations } from "../../../src/mempool/attestations/equivocations.ts";
import type { ConsensusContext } from "../../../src/p2p/gossip/topics/consensus-context.ts";
import { equal, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { signerRecovery } from "../../../src/protocol/consensus/signer-recovery.ts";
import { type WireSignature, wireSignature } from "../../../src/protocol/consensus/wire-signature.ts";
import { openStore, type Store } from "../../../src/storage/store.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { V4_ROLLUP } from "../protocol/message-rollup.ts";

/** A store in a directory of its own, and an attestation pool over it. */
export function pooled(): { pool: AttestationPool; store: Store; reopen(): AttestationPool; close(): Promise<void> } {
  const path = mkdtempSync(join(tmpdir(), "svc-attestations-"));
  const store = openStore({ path });
  const pools = [new AttestationPool(store, V4_ROLLUP, silentLogger)];
  return {
    pool: pools[0],
    store,
    reopen() {
      for (const pool of pools) pool.close();
      pools.push(new AttestationPool(store, V4_ROLLUP, silentLogger));
      return pools[pools.length - 1];
    },
    async close() {
      for (const pool of pools) pool.close();
      await store.close();
      rmSync(path, { recursive: true, force: true });
    },
  };
}

/** The committee of `members` for every slot; the proposer is chosen by slot, or is `proposer`. */
export function committeeOf(members: Uint8Array[], proposer?: Uint8Array): (slot: number) => Promise<SlotCommittee> {
  return async (slot) => ({
    slot,
    epoch: 0,
    kind: "committee",
    members,
    proposer: proposer ?? members[slot % members.length],
    escapeHatchOpen: false,
    isMember: (address) => members.some((member) => equal(member, address)),
  });
}

const core = loadCore();
const recover = await signerRecovery();

/** A context that records the events and the processed proposals as text. */
export function consensusContext(parts: Pick<ConsensusContext, "pool" | "times"> & Partial<ConsensusContext>): {
  context: ConsensusContext;
  log: string[];
} {
  const log: string[] = [];
  const equivocations = new Equivocations(silentLogger);
  equivocations.proposals.add(({ slot, proposer, kind }) => {
    log.push(`duplicate ${kind} proposal ${slot} ${toHex(proposer)}`);
  });
  equivocations.attestations.add(({ slot, attester }) => {
    log.push(`duplicate attestation ${slot} ${toHex(attester)}`);
  });
  const context: ConsensusContext = {
    committees: { at: committeeOf([]) },
    equivocations,
    now: () => 0,
    rollup: V4_ROLLUP,
    recover,
    limits: { txsPermitted: true, maxTxsPerBlock: undefined },
    hashTx: (tx) => txHash(core, tx.data),
    observer: false,
    processBlock: ({ archiveRoot }) => void log.push(`block ${toHex(archiveRoot)}`),
    processCheckpoint: ({ archive }) => void log.push(`checkpoint ${toHex(archive)}`),
    ...parts,
  };
  return { context, log };
}

/** Signs a payload as validators do. */
export async function signPayload(key: Uint8Array, payload: Uint8Array): Promise<WireSignature> {
  return wireSignature(await new LocalSigner(key).signMessage(keccak_256(payload)));
}

export function addressOf(key: Uint8Array): Uint8Array {
  return fromHex(new LocalSigner(key).address);
}
