import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { ProposalVerdict } from "../../../src/checkpoints/proposals/proposal-verdict.ts";
import { storedBlock } from "../../../src/checkpoints/proposals/stored-block.ts";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { Keystore } from "../../../src/keystore/keystore.ts";
import { PrivateKey } from "../../../src/keystore/private-key.ts";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { SlotCommittees } from "../../../src/l1/committee/slot-committees.ts";
import { Equivocations } from "../../../src/mempool/attestations/equivocations.ts";
import type { ChainContext } from "../../../src/node/context/chain-context.ts";
import { attesterSigning } from "../../../src/node/keys/signers.ts";
import { hasSlasher } from "../../../src/node/parts/slasher.ts";
import { checkValidator, hasValidator, startValidator, type ValidatorPart } from "../../../src/node/parts/validator.ts";
import { ConsensusEvents } from "../../../src/p2p/proposals/consensus-events.ts";
import { authPayloadHash } from "../../../src/p2p/reqresp/codecs/auth-message.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";
import type { BlockProposal } from "../../../src/protocol/consensus/block-proposal.ts";
import { digestSigner } from "../../../src/protocol/consensus/wire-signature.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { personalMessage } from "../../../src/protocol/personal-message.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { pooled } from "../../world/p2p/consensus-support.ts";
import { V4_ROLLUP } from "../../world/protocol/message-rollup.ts";
import { recoverSigner } from "../../world/protocol/recover-signer.ts";
import { UNMEASURED } from "../../world/telemetry/unmeasured.ts";
import {
  attestationsTo,
  KEYS,
  PROPOSALS,
  type ReceivedCheckpoint,
  type RecordedCommittee,
  recordedCommittee,
} from "../../world/validator/recorded-network.ts";
import { closeGuards, recordingGuard } from "../../world/validator/recording-guard.ts";

/** The validator of a node on the chain of a recorded network with a committee, with that network's keys. */
const core = loadCore();
const shared = new Kzg();
let recorded: RecordedCommittee;
let received: ReceivedCheckpoint;
let attesters: string[];
const cleanups: (() => Promise<void>)[] = [];

beforeAll(async () => {
  recorded = await recordedCommittee(core);
  received = PROPOSALS.filter(recorded.isOnChain)[0];
  attesters = [...KEYS.keys()].filter((address) => address !== received.proposer);
});
afterEach(async () => {
  await closeGuards();
  for (const clean of cleanups.splice(0).reverse()) await clean();
});
afterAll(async () => {
  await shared.close();
  await recorded?.remove();
});

function keystoreOf(addresses: readonly string[]): Keystore {
  const accounts = addresses.map((address) => {
    const key = new PrivateKey(KEYS.get(address)!);
    return { kind: "local" as const, address, key };
  });
  const common = { publishers: undefined, coinbase: undefined, feeRecipient: `0x${"00".repeat(32)}` };
  return new Keystore({ validators: [{ attesters: accounts, ...common }] });
}

/** Tells the validator what gossip brought. */
interface Tell {
  block(proposal: BlockProposal, verdict: ProposalVerdict): Promise<void>;
  checkpoint(): Promise<void>;
}

function validator(
  environment: Record<string, string> = {},
  { keys = () => keystoreOf(attesters), kzg = shared }: { keys?: (() => Keystore) | undefined; kzg?: Kzg } = {},
): { part: ValidatorPart; events: ConsensusEvents; tell: Tell; sent: Uint8Array[] } {
  const { values } = configure({ flags: new Map(), environment });
  const { pool, close } = pooled();
  const { constants } = recorded;
  const now = () => received.t;
  const read = async (epoch: number) => {
    const { members } = await recorded.committees.at(epoch * constants.epochDuration);
    return { epoch, committee: [...members], seed: 1n, escapeHatchOpen: false, settled: true };
  };
  const committees = new SlotCommittees({ read, constants, now, logger: silentLogger });
  const sent: Uint8Array[] = [];
  const context = {
    core,
    chain: recorded.chain,
    reader: { identity: recorded.identity, attesters: async () => attesters.slice(1).map(fromHex) },
    synchronizer: { poke: () => {}, on: () => () => {} },
    clock: { now },
    metrics: new Metrics(() => {}),
    loggerFor: () => silentLogger,
  } as unknown as ChainContext;
  const guard = recordingGuard(constants, now);
  const events = new ConsensusEvents();
  let verdict: ProposalVerdict | undefined;
  const told = events.processing({ handle: async () => verdict }, () => false);
  const part = startValidator(
    context,
    {
      values: partValues(values),
      keys,
      kzg,
      signing: attesterSigning(keys, guard),
      dutyTimes: UNMEASURED,
      txBytes: () => undefined,
      offenses: undefined,
    },
    {
      pool,
      committees,
      publisher: { publish: (_, payload) => void sent.push(payload) },
      rollup: V4_ROLLUP,
      recover: recorded.recover,
      equivocations: new Equivocations(silentLogger),
      events,
    },
  );
  cleanups.push(close, () => part.stop());
  const tell = {
    async block(proposal: BlockProposal, of: ProposalVerdict) {
      verdict = of;
      await told.processBlock(proposal, "peer");
    },
    checkpoint: async () => told.processCheckpoint(received.proposal, "peer", performance.now()),
  };
  return { part, events, tell, sent };
}

const attested = async ({ tell, sent }: ReturnType<typeof validator>): Promise<number> => {
  await tell.checkpoint();
  return sent.length;
};

describe("the validator of a node", () => {
  test("a node with a recorded network's keys sends the attestations that its reference nodes sent", async () => {
    const own = validator();
    expect(await attested(own)).toBe(3);
    const recordedBytes = attestationsTo(received.proposal).filter(({ attester }) => attester !== received.proposer);
    expect(own.sent.map(toHex).sort()).toEqual(recordedBytes.map(({ bytes }) => toHex(bytes)).sort());
  });

  test("the blobs of a checkpoint are committed to when its last block was executed, before it is proposed", async () => {
    const kzg = new Kzg();
    cleanups.push(() => kzg.close());
    const commitment = vi.spyOn(kzg, "commitment");
    const { tell, sent } = validator({}, { kzg });
    const last = recorded.chain.blockNumberByArchive(received.proposal.archive)!;
    const block = storedBlock(recorded.chain, last, { core, generation: V4 });
    const { header } = block.record;
    await tell.block({ header } as BlockProposal, { valid: true, block });
    await expect.poll(() => commitment).toHaveBeenCalled();
    await Promise.all(commitment.mock.results.map(({ value }) => value));
    const prepared = commitment.mock.results.map(({ value }) => value);
    await tell.checkpoint();
    expect(sent).toHaveLength(3);
    const asked = commitment.mock.results.slice(prepared.length).map(({ value }) => value);
    expect(asked).toHaveLength(prepared.length);
    // The same promises: no blob is committed to twice.
    for (const [i, promise] of asked.entries()) expect(promise).toBe(prepared[i]);
  });

  test("only limits of validators apply to proposals of others, not those of the sequencer", async () => {
    const sequencers = { SEQ_MAX_TX_PER_CHECKPOINT: "1", SEQ_MAX_L2_BLOCK_GAS: "1", SEQ_MAX_DA_BLOCK_GAS: "1" };
    expect(await attested(validator(sequencers))).toBe(3);
    for (const variable of [
      "VALIDATOR_MAX_TX_PER_CHECKPOINT",
      "VALIDATOR_MAX_L2_BLOCK_GAS",
      "VALIDATOR_MAX_DA_BLOCK_GAS",
    ]) {
      expect(await attested(validator({ [variable]: "1" })), variable).toBe(0);
    }
  });

  test("attesters can be disabled while the node runs", async () => {
    const own = validator();
    own.part.live.configure({ disabled: attesters.slice(1) });
    expect(await attested(own)).toBe(1);
  });

  test("keys that a reload took away or brought count at once", async () => {
    let keys = keystoreOf([]);
    const own = validator({}, { keys: () => keys });
    expect(await attested(own)).toBe(0);
    keys = keystoreOf(attesters.slice(0, 2));
    expect(await attested(own)).toBe(2);
  });

  test("an observer has the blocks of every slot executed and sends nothing", async () => {
    const own = validator({ FISHERMAN_MODE: "1" }, { keys: undefined });
    expect(await own.events.executes(received.slot)).toBe(true);
    expect(await attested(own)).toBe(0);
  });

  test("blocks of slots with an own key in the committee are executed unless VALIDATOR_REEXECUTE is off", async () => {
    expect(await validator().events.executes(received.slot)).toBe(true);
    expect(await validator({}, { keys: () => keystoreOf([]) }).events.executes(received.slot)).toBe(false);
    const { part, events } = validator({ VALIDATOR_REEXECUTE: "0" });
    expect(await events.executes(received.slot)).toBe(false);
    part.live.configure({ reexecutes: true });
    expect(await events.executes(received.slot)).toBe(true);
  });

  test("a challenge is signed with the first key that is a registered attester", async () => {
    const hash = authPayloadHash(new Uint8Array(32).fill(7));
    const signature = await validator().events.signChallenge(hash);
    expect(toHex(digestSigner(personalMessage(hash), signature!, recoverSigner, V4.consensus)!)).toBe(attesters[1]);
    const stranger = validator({}, { keys: () => keystoreOf(attesters.slice(0, 1)) });
    expect(await stranger.events.signChallenge(hash)).toBeUndefined();
  });
});

describe("options of the validator", () => {
  const given = (environment: Record<string, string>, sequencer = true) =>
    partValues(configure({ flags: new Map(sequencer ? [["--sequencer", "true"]] : []), environment }).values);

  test("a node has a validator if it has peers and a sequencer, unless it is disabled, or if it observes", () => {
    expect(hasValidator(given({ P2P_ENABLED: "1" }))).toBe(true);
    expect(hasValidator(given({}))).toBe(false);
    expect(hasValidator(given({ P2P_ENABLED: "1" }, false))).toBe(false);
    expect(hasValidator(given({ P2P_ENABLED: "1", VALIDATOR_DISABLED: "1" }))).toBe(false);
    expect(hasValidator(given({ P2P_ENABLED: "1", FISHERMAN_MODE: "1" }, false))).toBe(true);
  });

  test("a node keeps offenses if it has a sequencer, unless its validator is disabled, or if it observes", () => {
    expect(hasSlasher(given({}))).toBe(true);
    expect(hasSlasher(given({}, false))).toBe(false);
    expect(hasSlasher(given({ VALIDATOR_DISABLED: "1" }))).toBe(false);
    expect(hasSlasher(given({ P2P_ENABLED: "1", FISHERMAN_MODE: "1" }, false))).toBe(true);
  });

  test("an observer needs peers, and does not propose", () => {
    expect(() => checkValidator(given({ FISHERMAN_MODE: "1" }, false))).toThrow("FISHERMAN_MODE needs P2P_ENABLED");
    const both = given({ P2P_ENABLED: "1", FISHERMAN_MODE: "1" });
    expect(() => checkValidator(both)).toThrow("FISHERMAN_MODE cannot be combined with --sequencer");
    expect(() => checkValidator(given({ P2P_ENABLED: "1", FISHERMAN_MODE: "1" }, false))).not.toThrow();
  });
});
