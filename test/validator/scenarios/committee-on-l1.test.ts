import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { readPackedAttestations } from "../../../src/l1/committee/packed-attestations.ts";
import { deployL1Contracts } from "../../../src/l1/deploy/deploy-l1-contracts.ts";
import { attestationsAndSignersHash, packAttestations } from "../../../src/l1/propose/attestations.ts";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import type { CommitteeAttestation } from "../../../src/l1/types.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { checkpointSlot } from "../../../src/protocol/checkpoint-header.ts";
import { ARCHIVE } from "../../../src/protocol/constants.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { slotTimestamp } from "../../../src/protocol/time.ts";
import { CommitteeAttestations, type CommitteeRequest } from "../../../src/validator/committee-attestations.ts";
import { genesisContent, genesisState } from "../../../src/world-state/genesis.ts";
import { freePort } from "../../support/free-port.ts";
import { startAnvil } from "../../world/l1/chain-a.ts";
import { localNetwork } from "../../world/l1/deployed-network.ts";
import { l1Vectors } from "../../world/l1/vectors.ts";
import { ControlledL1, PUBLISHER_KEY } from "../../world/sequencer/l1-control.ts";
import { ProposingNode, until } from "../../world/sequencer/proposing-node.ts";

/**
 * Two nodes with two keys each of a committee of four, on contracts of their own: no checkpoint has a quorum without
 * both.
 */
const VALIDATORS = l1Vectors.scenario.validators.slice(0, 4).map(({ pk, address, blsSecretKey }) => ({
  key: pk,
  initial: {
    attester: address.toLowerCase(),
    withdrawer: address.toLowerCase(),
    blsSecretKey: BigInt(blsSecretKey),
  },
}));
/** Account 1 of the development mnemonic. */
const OTHER_PUBLISHER_KEY = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const EPOCH_SLOTS = 4;

let l1: ControlledL1;
/** The next slot to begin. */
let slot: number;
let first: ProposingNode;
let second: ProposingNode;

beforeAll(async () => {
  const core = loadCore();
  const anvil = await startAnvil();
  l1 = new ControlledL1({ anvil, chain: { blobStore: "" }, stop: () => void anvil.stop() });
  const funded = genesisPublicData(core, { testAccounts: true, sponsoredFpc: true, prefundAddresses: [] }, V4);
  const deployed = await deployL1Contracts({
    ...localNetwork(anvil.url, {
      AZTEC_TARGET_COMMITTEE_SIZE: String(VALIDATORS.length),
      AZTEC_EPOCH_DURATION: String(EPOCH_SLOTS),
      AZTEC_LAG_IN_EPOCHS_FOR_VALIDATOR_SET: "1",
      AZTEC_LAG_IN_EPOCHS_FOR_RANDAO: "1",
    }),
    genesisArchiveRoot: genesisState(core, genesisContent(V4, funded)).fork.snapshot(ARCHIVE).root,
    validators: VALIDATORS.map(({ initial }) => initial),
  });
  const ports = [await freePort(), await freePort()];
  const environment = (publisher: string, keys: typeof VALIDATORS, port: number) => ({
    REGISTRY_CONTRACT_ADDRESS: deployed.addresses.registryAddress,
    PREFUND_ADDRESSES: "",
    // anvil serves the blobs.
    BLOB_FILE_STORE_URLS: "",
    SEQ_PUBLISHER_PRIVATE_KEY: publisher,
    VALIDATOR_PRIVATE_KEYS: keys.map(({ key }) => key).join(","),
    SEQ_MIN_TX_PER_BLOCK: "0",
    P2P_ENABLED: "true",
    P2P_IP: "127.0.0.1",
    P2P_LISTEN_ADDR: "127.0.0.1",
    P2P_PORT: String(port),
    P2P_PEER_CHECK_INTERVAL_MS: "200",
    DEBUG_P2P_DISABLE_COLOCATION_PENALTY: "1",
  });
  first = await ProposingNode.start(l1, environment(PUBLISHER_KEY, VALIDATORS.slice(0, 2), ports[0]));
  const record = await until(() => first.rpc<string | null>("node_getEncodedEnr").then((enr) => enr ?? undefined));
  second = await ProposingNode.start(l1, {
    ...environment(OTHER_PUBLISHER_KEY, VALIDATORS.slice(2), ports[1]),
    P2P_TRUSTED_PEERS: record,
  });
  await until(async () => (await first.rpc<unknown[]>("p2p_getPeers")).length > 0);
  // A heartbeat, after which the peers are in each other's meshes.
  await new Promise((resolve) => setTimeout(resolve, 2000));
  const { timestamp } = await l1.latest();
  // anvil takes no time before the machine's. The validators joined in epoch 0, so epoch 2 is the first with a
  // committee.
  const { l1GenesisTime, slotDuration } = first.constants;
  const now = Math.max(timestamp, Date.now() / 1000);
  // A guard signs for no slot that could have been signed for before it was opened.
  slot = Math.max(Math.ceil((now - l1GenesisTime) / slotDuration) + 1, 2 * EPOCH_SLOTS);
}, 240_000);
afterAll(async () => {
  await second?.remove();
  await first?.remove();
  l1?.stop();
});

/** Moves L1 and both clocks to the start of a slot. */
async function begin(slot: number): Promise<void> {
  await l1.warpTo(slotTimestamp(slot, first.constants));
  await Promise.all([first.followClock(), second.followClock()]);
}

describe("a checkpoint with bad attestations", () => {
  afterEach(() => vi.restoreAllMocks());

  /**
   * Makes the next proposer post altered attestations, with a valid signature of its own over them. Bits of the bitmap
   * beyond the committee are set; L1 accepts them.
   */
  function alterNext(alter: (entries: CommitteeAttestation[], proposer: string) => void): void {
    const { collect } = CommitteeAttestations.prototype;
    vi.spyOn(CommitteeAttestations.prototype, "collect").mockImplementationOnce(async function (
      this: CommitteeAttestations,
      request: CommitteeRequest,
    ) {
      const { signatureIndices, signaturesOrAddresses } = await collect.call(this, request);
      const { committee, proposer } = request;
      const entries = readPackedAttestations(signatureIndices, signaturesOrAddresses, committee.length).map(
        ({ signature }, i) => ({ address: committee[i], signature }),
      );
      alter(entries, proposer);
      const packed = packAttestations(entries);
      packed.signatureIndices[0] |= 0x05;
      const key = VALIDATORS.find(({ initial }) => initial.attester === proposer)!.key;
      const signer = new LocalSigner(fromHex(key));
      return { ...packed, signature: await signer.signMessage(attestationsAndSignersHash(V4.consensus, packed)) };
    });
  }

  /** Entries of members that signed and are not the proposer. */
  const others = (entries: CommitteeAttestation[], proposer: string) =>
    entries.filter(({ address, signature }) => signature !== undefined && toHex(address) !== proposer);

  test.each([
    {
      what: "a signature of somebody else",
      action: "invalidate-by-invalid-attestation",
      alter: (entries: CommitteeAttestation[], proposer: string) => {
        const [one, other] = others(entries, proposer);
        one.signature = other.signature;
      },
    },
    {
      what: "a signature that nobody made",
      action: "invalidate-by-invalid-attestation",
      alter: (entries: CommitteeAttestation[], proposer: string) => {
        const signature = new Uint8Array(65);
        signature[0] = 1;
        others(entries, proposer)[0].signature = signature;
      },
    },
    {
      what: "a signature less than the quorum",
      action: "invalidate-by-insufficient-attestations",
      alter: (entries: CommitteeAttestation[], proposer: string) => {
        others(entries, proposer)[0].signature = undefined;
      },
    },
  ])(
    "the next proposer removes a checkpoint with $what and proposes in its place",
    async ({ alter, action }) => {
      // Without proofs L1 would prune the chain in the middle of the test.
      await l1.proveAll(first.parts.reader.identity.addresses.rollupAddress);
      alterNext(alter);
      const checkpoint = first.parts.chain.latestCheckpointNumber() + 1;
      const nodes = [first, second];
      const removals = () =>
        nodes
          .flatMap((node) => node.lines("removed a bad checkpoint from L1"))
          .toSorted((a, b) => Number(a.slot) - Number(b.slot));
      const before = removals().length;
      await begin(slot++);
      await until(() => nodes.every(({ parts }) => parts.chain.state.invalidProposal() !== undefined));
      expect(nodes.map(({ parts }) => parts.chain.latestCheckpointNumber())).toEqual([checkpoint - 1, checkpoint - 1]);
      await begin(slot);
      await until(() => nodes.every(({ parts }) => parts.chain.latestCheckpointNumber() === checkpoint));
      expect(checkpointSlot(first.parts.chain.checkpoint(checkpoint)!.header)).toBe(slot++);
      await until(() => removals().length > before);
      expect(removals().slice(before)).toMatchObject([{ action }]);
      expect(nodes.map(({ parts }) => parts.chain.state.invalidProposal())).toEqual([undefined, undefined]);
    },
    240_000,
  );
});
