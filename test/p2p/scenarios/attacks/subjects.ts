import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { txHash } from "../../../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../../../src/core/load-core.ts";
import { versionOf } from "../../../../src/p2p/discovery/node-record.ts";
import { parseRecord } from "../../../../src/p2p/discovery/record-rules.ts";
import { txToBytes } from "../../../../src/protocol/tx/tx-bytes.ts";
import { freePort } from "../../../support/free-port.ts";
import { freshTx } from "../../../world/mempool/fresh-txs.ts";
import { NodeProcess, startRecordedL1 } from "../../../world/node/recorded-node.ts";
import { recordedTxs } from "../../../world/protocol/recorded-txs.ts";
import { Child } from "./child.ts";
import type { HonestTraffic } from "./honest-peers.ts";
import type { SubjectFacts } from "./target.ts";

/** A node in a process of its own, ready for peers. */
export interface Subject {
  readonly facts: SubjectFacts;
  readonly traffic: HonestTraffic;
  readonly pid: number;
  readonly alive: boolean;
  /** Warnings and errors. */
  readonly log: string;
  /** One call to the RPC port; absent without one. */
  call?(): Promise<void>;
  end(): Promise<void>;
}

/** The peer node alone, with topics that accept by the first characters of a message. */
export async function peerNodeSubject(): Promise<Subject> {
  const child = new Child("subject.ts");
  const line = await child.line();
  if (line === "") throw new Error(`the node did not start:\n${child.log}`);
  return {
    facts: JSON.parse(line) as SubjectFacts,
    traffic: { topic: "checkpoint_attestation", intervalMs: 40, next: () => Buffer.from(`honest ${randomUUID()}`) },
    pid: child.process.pid!,
    get alive() {
      return !child.ended;
    },
    get log() {
      return child.log;
    },
    end: () => child.end(),
  };
}

/** Transactions that a node on the recorded chain accepts. */
function freshTraffic(): HonestTraffic {
  const core = loadCore();
  const template = recordedTxs().find(({ tx }) => tx.data[0] === 0 && tx.contractClassLogFields.length === 0);
  if (template === undefined) throw new Error("no private tx was recorded");
  return {
    topic: "tx",
    intervalMs: 250,
    next() {
      const tx = freshTx(template, { nullifier: randomUUID(), priorityFee: BigInt(Date.now() % 10 ** 9) });
      return txToBytes(txHash(core, tx.data), tx);
    },
  };
}

/** The whole node over a recorded chain, as `svc start --node` runs it. */
export async function wholeNodeSubject(): Promise<Subject> {
  const l1 = await startRecordedL1();
  const port = await freePort();
  const node = await NodeProcess.start(l1, mkdtempSync(join(tmpdir(), "svc-attacked-")), {
    P2P_ENABLED: "true",
    P2P_LISTEN_ADDR: "127.0.0.1",
    P2P_IP: "127.0.0.1",
    P2P_PORT: String(port),
    P2P_PEER_CHECK_INTERVAL_MS: "1000",
    LOG_LEVEL: "info",
  });
  const end = async () => {
    await node.end("SIGTERM");
    await node.remove();
    l1.stop();
  };
  try {
    let record: ReturnType<typeof parseRecord> | undefined;
    for (const limit = Date.now() + 120_000; record === undefined; await new Promise((r) => setTimeout(r, 200))) {
      if (Date.now() > limit) throw new Error(`the node was not there in time:\n${node.log}`);
      const answer = await node.ask("getEncodedEnr").catch(() => undefined);
      if (typeof answer?.body.result === "string") record = parseRecord(answer.body.result, "record");
    }
    await node.synced(120_000);
    const facts = { port, id: record.peerId.toString(), version: versionOf(record) ?? "" };
    return {
      facts,
      traffic: freshTraffic(),
      pid: node.pid,
      get alive() {
        return node.running;
      },
      get log() {
        return node.log;
      },
      async call() {
        const { status } = await node.ask("getBlockNumber");
        if (status !== 200) throw new Error(`getBlockNumber answers with status ${status}`);
      },
      end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}
