import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { readPackedAttestations } from "../../../src/l1/committee/packed-attestations.ts";
import { deployL1Contracts } from "../../../src/l1/deploy/deploy-l1-contracts.ts";
import { attestationsAndSignersHash, packAttestations } from "../../../src/l1/propose/attestations.ts";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import { genesisPublicData } from "../../../src/network/genesis.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
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

/** A node with all keys of a committee of four, on contracts of its own. */
const VALIDATORS = l1Vectors.scenario.validators.slice(0, 4).map(({ pk, address, blsSecretKey }) => ({
  key: pk,
  initial: {
    attester: address.toLowerCase(),
    withdrawer: address.toLowerCase(),
    blsSecretKey: BigInt(blsSecretKey),
  },
}));
const TOKEN = 10n ** 18n;
const EPOCH_SLOTS = 4;
/** A round is an epoch. It votes on the epoch before with a quorum of 3, and is executed in the next round. */
const SLASHING = {
  AZTEC_SLASHER_FLAVOR: "tally",
  AZTEC_SLASHING_ROUND_SIZE_IN_EPOCHS: "1",
  AZTEC_SLASHING_OFFSET_IN_ROUNDS: "1",
  AZTEC_SLASH_AMOUNT_SMALL: "1e18",
  AZTEC_SLASH_AMOUNT_MEDIUM: "2e18",
  AZTEC_SLASH_AMOUNT_LARGE: "5e18",
  AZTEC_LOCAL_EJECTION_THRESHOLD: "8e19",
};

let l1: ControlledL1;
let node: ProposingNode;

beforeAll(async () => {
  const anvil = await startAnvil();
  l1 = new ControlledL1({ anvil, chain: { blobStore: "" }, stop: () => void anvil.stop() });
  const funded = genesisPublicData(loadCore(), { testAccounts: true, sponsoredFpc: true, prefundAddresses: [] }, V4);
  const { addresses } = await deployL1Contracts({
    ...localNetwork(anvil.url, {
      AZTEC_TARGET_COMMITTEE_SIZE: String(VALIDATORS.length),
      AZTEC_EPOCH_DURATION: String(EPOCH_SLOTS),
      AZTEC_LAG_IN_EPOCHS_FOR_VALIDATOR_SET: "1",
      AZTEC_LAG_IN_EPOCHS_FOR_RANDAO: "1",
      ...SLASHING,
    }),
    genesisArchiveRoot: genesisState(loadCore(), genesisContent(V4, funded)).fork.snapshot(ARCHIVE).root,
    validators: VALIDATORS.map(({ initial }) => initial),
  });
  node = await ProposingNode.start(l1, {
    REGISTRY_CONTRACT_ADDRESS: addresses.registryAddress,
    PREFUND_ADDRESSES: "",
    // anvil serves the blobs.
    BLOB_FILE_STORE_URLS: "",
    SEQ_PUBLISHER_PRIVATE_KEY: PUBLISHER_KEY,
    VALIDATOR_PRIVATE_KEYS: VALIDATORS.map(({ key }) => key).join(","),
    SEQ_MIN_TX_PER_BLOCK: "0",
    SLASH_PROPOSE_INVALID_ATTESTATIONS_PENALTY: "5e18",
    P2P_ENABLED: "true",
    P2P_IP: "127.0.0.1",
    P2P_LISTEN_ADDR: "127.0.0.1",
    P2P_PORT: String(await freePort()),
  });
});
afterEach(() => vi.restoreAllMocks());
afterAll(async () => {
  await node?.remove();
  l1?.stop();
});

/** Stake of a validator that counts, in wei. */
async function stake(validator: string): Promise<bigint> {
  // getAttesterView(address): its second word is the effective balance.
  const data = `0x34a51ed5${validator.slice(2).padStart(64, "0")}`;
  const { rollupAddress: to } = node.parts.reader.identity.addresses;
  return BigInt(`0x${(await l1.call("eth_call", [{ to, data }, "latest"])).slice(66, 130)}`);
}

/** Makes the next proposer post somebody else's signature for a member, with a valid signature of its own. */
function postBadAttestations(): void {
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
    const [one, other] = entries.filter(
      ({ address, signature }) => signature !== undefined && toHex(address) !== proposer,
    );
    one.signature = other.signature;
    const packed = packAttestations(entries);
    const key = VALIDATORS.find(({ initial }) => initial.attester === proposer)?.key as string;
    const signer = new LocalSigner(fromHex(key));
    return { ...packed, signature: await signer.signMessage(attestationsAndSignersHash(V4.consensus, packed)) };
  });
}

interface Offense {
  validator: string;
  amount: string;
  offenseType: number;
  epochOrSlot: string;
}

const recorded = (round = "all") => node.admin<Offense[]>("svcAdmin_getSlashOffenses", [round]);

async function begin(slot: number): Promise<void> {
  await l1.warpTo(slotTimestamp(slot, node.constants));
  await node.followClock();
}

/** Begins a slot and waits for its checkpoint. */
async function propose(slot: number): Promise<void> {
  await begin(slot);
  await until(() => node.parts.chain.checkpointNumberAtSlot(slot) !== undefined);
}

/** A slot after the latest one, in an epoch with a committee, at a position in its epoch. */
async function laterSlot(position: number): Promise<number> {
  const { timestamp } = await l1.latest();
  const { l1GenesisTime, slotDuration } = node.constants;
  const now = Math.max(timestamp, Date.now() / 1000);
  const earliest = Math.max(Math.ceil((now - l1GenesisTime) / slotDuration) + 1, 2 * EPOCH_SLOTS);
  return Math.ceil((earliest - position) / EPOCH_SLOTS) * EPOCH_SLOTS + position;
}

test("a proposer that posts bad attestations is recorded, voted on with the checkpoints that follow, and slashed", async () => {
  const { rollupAddress } = node.parts.reader.identity.addresses;
  // The offender is a validator of this node.
  await node.admin("svcAdmin_setConfig", [{ slashSelfAllowed: true }]);
  const badSlot = await laterSlot(1);
  await propose(badSlot - 1);
  postBadAttestations();
  await begin(badSlot);
  const [offense] = await until(async () => {
    const found = await recorded();
    return found.length > 0 && found;
  });
  expect(offense).toMatchObject({ amount: String(5n * TOKEN), offenseType: 6, epochOrSlot: String(badSlot) });
  expect(await recorded("current")).toEqual([]);
  expect(await stake(offense.validator)).toBe(100n * TOKEN);

  const voting = (Math.floor(badSlot / EPOCH_SLOTS) + 1) * EPOCH_SLOTS;
  for (let slot = badSlot + 1; slot <= voting + EPOCH_SLOTS; slot++) {
    await propose(slot);
    await l1.proveAll(rollupAddress);
    if (slot === voting) {
      expect(await recorded("current")).toEqual([offense]);
      expect(await recorded(String(voting / EPOCH_SLOTS))).toEqual([offense]);
    }
  }
  await until(async () => (await stake(offense.validator)) === 95n * TOKEN);
  const others = VALIDATORS.map(({ initial }) => initial.attester).filter((one) => one !== offense.validator);
  for (const other of others) expect(await stake(other)).toBe(100n * TOKEN);
  await expect(node.admin("nodeAdmin_getSlashPayloads")).rejects.toThrow(
    "Tally slashing model does not support slash payloads",
  );
}, 240_000);

test("a valid epoch that nobody proves is an offense of its committee", async () => {
  const first = await laterSlot(0);
  await l1.proveAll(node.parts.reader.identity.addresses.rollupAddress);
  await propose(first);
  const epoch = first / EPOCH_SLOTS;
  const prunes = async () => (await recorded()).filter(({ offenseType }) => offenseType === 2);
  expect(await prunes()).toEqual([]);
  // Proofs are taken until the end of the next epoch.
  await begin((epoch + 2) * EPOCH_SLOTS);
  const offenses = await until(async () => {
    const found = await prunes();
    return found.length === VALIDATORS.length && found;
  });
  const expected = VALIDATORS.map(({ initial }) => initial.attester).toSorted();
  expect(offenses.map(({ validator }) => validator).toSorted()).toEqual(expected);
  for (const { epochOrSlot } of offenses) expect(epochOrSlot).toBe(String(epoch));
}, 240_000);
