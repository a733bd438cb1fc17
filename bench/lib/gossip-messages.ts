import { keccak_256 } from "@noble/hashes/sha3.js";
import { txHash } from "../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../src/core/load-core.ts";
import type { HashedTx } from "../../src/execution/executed-tx.ts";
import { LocalSigner } from "../../src/l1/tx/local-signer.ts";
import { genesisPublicData } from "../../src/network/genesis.ts";
import { bigUintBytes, fromHex } from "../../src/protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointHash } from "../../src/protocol/checkpoint-header.ts";
import { encodeCheckpointAttestation } from "../../src/protocol/consensus/checkpoint-attestation.ts";
import type { CheckpointPayload } from "../../src/protocol/consensus/checkpoint-payload.ts";
import {
  type CheckpointProposal,
  checkpointProposalPayload,
} from "../../src/protocol/consensus/checkpoint-proposal.ts";
import { attestationPayload } from "../../src/protocol/consensus/digests.ts";
import { wireSignature } from "../../src/protocol/consensus/wire-signature.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { withTerms } from "../../src/protocol/tx/template.ts";
import { txToBytes } from "../../src/protocol/tx/tx-bytes.ts";
import { type GenesisState, genesisContent, genesisState } from "../../src/world-state/genesis.ts";
import { freshTx } from "../../test/world/mempool/fresh-txs.ts";
import { seeded } from "../../test/world/mempool/pool-txs.ts";
import { V4_ROLLUP } from "../../test/world/protocol/message-rollup.ts";
import { type CommitteeL1, keyOf } from "./committee-l1.ts";
import { recordedForm } from "./tx-calls.ts";

const core = loadCore();
/** The contract that genesis funds with SPONSORED_FPC. */
const FEE_PAYER = fromHex("0x09a4df73aa47f82531a038d1d51abfc85b27665c4b7ca751e2d4fa9f19caffb2");

/** Txs that differ in their nullifier and are valid on the network without blocks. */
export function networkTxs({ identity }: Pick<CommitteeL1, "identity">, name: string, count: number): HashedTx[] {
  const terms = {
    anchor: networkGenesis().header,
    chainId: bigUintBytes(BigInt(identity.l1ChainId), 32),
    version: bigUintBytes(BigInt(identity.rollupVersion), 32),
  };
  const template = recordedForm(0);
  return Array.from({ length: count }, (_, i) => {
    const tx = withTerms(freshTx(template, { nullifier: `${name} ${i}`, feePayer: FEE_PAYER }), terms);
    return { hash: txHash(core, tx.data), tx };
  });
}

/** The payload of topic tx. */
export function txMessage({ hash, tx }: HashedTx): Uint8Array {
  return txToBytes(hash, tx);
}

/** Payloads of topic tx, with `networkTxs`. */
export function gossipTxs(l1: Pick<CommitteeL1, "identity">, name: string, count: number): Uint8Array[] {
  return networkTxs(l1, name, count).map(txMessage);
}

/** The state of the network without blocks. */
export function networkGenesis(): GenesisState {
  return genesisState(
    core,
    genesisContent(V4, genesisPublicData(core, { testAccounts: true, sponsoredFpc: true, prefundAddresses: [] }, V4)),
  );
}

/** The signature of a message of the committee. */
export async function signed(key: Uint8Array, payload: Uint8Array): Promise<Uint8Array> {
  return wireSignature(await new LocalSigner(key).signMessage(keccak_256(payload)));
}

/** Valid payloads of topic checkpoint_attestation: one checkpoint, attested by each member of the slot's committee. */
export async function gossipAttestations(l1: CommitteeL1, slot: number, name: string): Promise<Uint8Array[]> {
  const { proposer } = await l1.committee(slot);
  if (proposer === undefined) throw new Error(`slot ${slot} has no proposer`);
  const header = new Uint8Array(V4.headers.checkpointBytes);
  header.set(bigUintBytes(BigInt(slot), 32), CHECKPOINT_AT.slotNumber);
  header.set(seeded(`${name} ${slot} blocks`), CHECKPOINT_AT.blockHeadersHash);
  const archive = seeded(`${name} ${slot} archive`);
  const payload: CheckpointPayload = { header, archive, feeAssetPriceModifier: new Uint8Array(32) };
  const signature = await signed(keyOf(l1, proposer), checkpointProposalPayload(payload, V4_ROLLUP));
  return attestationsOf(l1, slot, { ...payload, signature });
}

/** Payloads of topic checkpoint_attestation: the attestations of the slot's committee to a proposal. */
export async function attestationsOf(
  l1: CommitteeL1,
  slot: number,
  { header, archive, feeAssetPriceModifier, signature: proposerSignature }: CheckpointProposal,
): Promise<Uint8Array[]> {
  const { members } = await l1.committee(slot);
  const attested = attestationPayload(V4.consensus, archive, feeAssetPriceModifier, checkpointHash(header));
  return Promise.all(
    members.map(async (member) => {
      const signature = await signed(keyOf(l1, member), attested);
      return encodeCheckpointAttestation(
        { header, archive, feeAssetPriceModifier, signature, proposerSignature },
        V4_ROLLUP,
      );
    }),
  );
}
