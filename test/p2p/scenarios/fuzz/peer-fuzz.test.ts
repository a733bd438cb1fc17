import { compressSync } from "snappy";
import { expect, test } from "vitest";
import type { Topic } from "../../../../src/p2p/gossip/publisher.ts";
import type { RequestProtocol } from "../../../../src/p2p/peers/request-client.ts";
import { fromHex } from "../../../../src/protocol/bytes.ts";
import { checkpointHash } from "../../../../src/protocol/checkpoint-header.ts";
import {
  blockProposalPayload,
  decodeBlockProposal,
  encodeBlockProposal,
} from "../../../../src/protocol/consensus/block-proposal.ts";
import {
  decodeCheckpointAttestation,
  encodeCheckpointAttestation,
} from "../../../../src/protocol/consensus/checkpoint-attestation.ts";
import {
  checkpointProposalPayload,
  decodeCheckpointProposal,
  encodeCheckpointProposal,
} from "../../../../src/protocol/consensus/checkpoint-proposal.ts";
import { attestationPayload } from "../../../../src/protocol/consensus/digests.ts";
import { unwrapMessage, wrapMessage } from "../../../../src/protocol/consensus/gossip-wrapper.ts";
import { V4 } from "../../../../src/protocol/generations/v4/v4.ts";
import { txToBytes } from "../../../../src/protocol/tx/tx-bytes.ts";
import { Random } from "../../../support/random.ts";
import { rounds } from "../../../support/soak.ts";
import { signPayload } from "../../../world/p2p/consensus-support.ts";
import { p2pVectors, recordedMessages, uncompressed } from "../../../world/p2p/recorded.ts";
import { V4_ROLLUP } from "../../../world/protocol/message-rollup.ts";
import { recordedTxs } from "../../../world/protocol/recorded-txs.ts";
import { FuzzedNode } from "./fuzzed-node.ts";
import { mutate } from "./mutate.ts";
import { answer, REQUESTS, RESPONSES, readAnswer } from "./requests.ts";

const CASES = Number(process.env.SVC_PEER_FUZZ_CASES ?? rounds(200_000, 10_000));
const SEED = Number(process.env.SVC_PEER_FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 32));
/** Time limit of one case on a busy machine. */
const LIMIT_MS = 20_000;
const GROWTH_LIMIT_MIB = 300;

const vectors = p2pVectors();
const PROPOSER = fromHex(vectors.keys.proposerPrivateKey);
const ATTESTER = fromHex(vectors.keys.attesterPrivateKey);
const txs = recordedTxs();

/** Wrapped messages of each topic. */
const SEEDS: Record<Topic, Uint8Array[]> = {
  block_proposal: [
    fromHex(vectors.blockProposal.wrappedHex),
    uncompressed(vectors.blockProposalWithSignedTxs.snappyExampleHex),
  ],
  checkpoint_proposal: [
    fromHex(vectors.checkpointProposalWithoutLastBlock.wrappedHex),
    fromHex(vectors.checkpointProposalWithLastBlock.wrappedHex),
  ],
  checkpoint_attestation: [
    fromHex(vectors.checkpointAttestation.wrappedHex),
    fromHex(vectors.checkpointAttestationNegativeModifier.wrappedHex),
  ],
  tx: txs.slice(0, 8).map(({ hash, tx }) => wrapMessage(txToBytes(hash, tx))),
};
/** Those of the vectors come first: they are of the node's slot. */
const FIRST = 2;
for (const { topic, wrapped } of recordedMessages()) SEEDS[topic as Topic].push(wrapped);

/** Signs what is left of a mutated message as its proposer or attester, so that it passes the first rules. */
const RESIGN: Partial<Record<Topic, (payload: Uint8Array) => Promise<Uint8Array>>> = {
  block_proposal: async (payload) => {
    const proposal = decodeBlockProposal(payload, V4_ROLLUP);
    return encodeBlockProposal(
      {
        ...proposal,
        signature: await signPayload(PROPOSER, blockProposalPayload(proposal, V4_ROLLUP)),
      },
      V4_ROLLUP,
    );
  },
  checkpoint_proposal: async (payload) => {
    const { lastBlock, ...proposal } = decodeCheckpointProposal(payload, V4_ROLLUP);
    const signature = await signPayload(PROPOSER, checkpointProposalPayload(proposal, V4_ROLLUP));
    const block = lastBlock && {
      ...lastBlock,
      signature: await signPayload(PROPOSER, blockProposalPayload(lastBlock, V4_ROLLUP)),
    };
    return encodeCheckpointProposal({ ...proposal, signature }, V4_ROLLUP, block);
  },
  checkpoint_attestation: async (payload) => {
    const attestation = decodeCheckpointAttestation(payload, V4_ROLLUP);
    const { archive, feeAssetPriceModifier, header } = attestation;
    const signed = attestationPayload(V4.consensus, archive, feeAssetPriceModifier, checkpointHash(header));
    return encodeCheckpointAttestation(
      {
        ...attestation,
        signature: await signPayload(ATTESTER, signed),
        proposerSignature: await signPayload(PROPOSER, checkpointProposalPayload(attestation, V4_ROLLUP)),
      },
      V4_ROLLUP,
    );
  },
};

const TOPICS = ["block_proposal", "checkpoint_proposal", "checkpoint_attestation", "tx"] as const;
const random = new Random(SEED);

/** A mutated message as it would come from the wire: a change before or after compression, sometimes signed again. */
async function gossipCase(topic: Topic): Promise<{ data: Uint8Array; names: string[] }> {
  const seeds = SEEDS[topic];
  const seed = seeds[random.below(random.chance(0.7) ? FIRST : seeds.length)];
  if (random.chance(0.15)) {
    const { bytes, names } = mutate(new Uint8Array(compressSync(seed)), random);
    return { data: bytes, names };
  }
  const { bytes, names } = mutate(random.chance(0.7) ? unwrapMessage(seed) : seed, random);
  const resign = RESIGN[topic];
  if (resign !== undefined && random.chance(0.3)) {
    try {
      return { data: new Uint8Array(compressSync(wrapMessage(await resign(bytes)))), names: [...names, "signed"] };
    } catch {
      // Too little of the message is left.
    }
  }
  return { data: new Uint8Array(compressSync(wrapMessage(bytes))), names };
}

test(`each of ${CASES} mutated messages of peers gets a verdict or an answer, and nothing else happens`, {
  timeout: 7_200_000,
}, async () => {
  process.stderr.write(`peer fuzz seed ${SEED}: SVC_PEER_FUZZ_SEED=${SEED} repeats the cases\n`);
  const node = new FuzzedNode(txs[0].tx);
  const counts = new Map<string, number>();
  const unhandled: unknown[] = [];
  const onUnhandled = (error: unknown) => void unhandled.push(error);
  process.on("unhandledRejection", onUnhandled);
  let slowest = 0;
  let before = 0;
  for (let i = 0; i < CASES; i++) {
    if (i === Math.floor(CASES / 5)) before = process.memoryUsage().rss;
    const started = Date.now();
    let outcome: string;
    let where: string;
    const kind = random.below(10);
    if (kind < 6) {
      // Txs are the largest messages.
      const topic = TOPICS[random.chance(0.1) ? 3 : random.below(3)];
      const { data, names } = await gossipCase(topic);
      where = `${topic}, ${names.join(", ")}`;
      outcome = `${topic}: ${await node.receive(topic, data)}`;
    } else if (kind < 9) {
      const name = random.pick(Object.keys(REQUESTS)) as RequestProtocol;
      const { bytes, names } = mutate(random.pick(REQUESTS[name]), random);
      where = `request ${name}, ${names.join(", ")}`;
      outcome = `request ${name}: ${await answer(name, bytes)}`;
    } else {
      const name = random.pick(Object.keys(RESPONSES)) as RequestProtocol;
      const { bytes, names } = mutate(random.pick(RESPONSES[name]), random);
      where = `response ${name}, ${names.join(", ")}`;
      outcome = `response ${name}: ${await readAnswer(name, bytes)}`;
    }
    slowest = Math.max(slowest, Date.now() - started);
    expect(Date.now() - started, `seed ${SEED} case ${i} (${where})`).toBeLessThan(LIMIT_MS);
    expect(node.errors, `seed ${SEED} case ${i} (${where})`).toEqual([]);
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1);
    if (i > 0 && i % 50_000 === 0) {
      process.stderr.write(`peer fuzz: ${i} cases, ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB resident\n`);
    }
  }
  node.close();
  process.off("unhandledRejection", onUnhandled);
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  const lines = [...counts].sort().map(([outcome, count]) => `${count} ${outcome}`);
  process.stderr.write(
    `peer fuzz: ${CASES} cases, memory grew by ${Math.round(grown)} MiB, slowest case ${slowest} ms\n${lines.join("\n")}\n`,
  );
  expect(unhandled).toEqual([]);
  expect(node.extraVerdicts).toBe(0);
  for (const topic of TOPICS) {
    for (const verdict of ["accept", "reject", "invalid"]) {
      expect(counts.get(`${topic}: ${verdict}`) ?? 0, `${topic}: ${verdict}`).toBeGreaterThan(0);
    }
  }
  for (const name of ["tx", "block", "block_txs", "auth"]) {
    expect(counts.get(`request ${name}: answered`) ?? 0, name).toBeGreaterThan(0);
  }
  for (const name of Object.keys(RESPONSES)) {
    expect(counts.get(`response ${name}: malformed`) ?? 0, name).toBeGreaterThan(0);
  }
  expect(grown).toBeLessThan(GROWTH_LIMIT_MIB);
});
