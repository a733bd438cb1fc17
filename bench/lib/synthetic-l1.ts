import { createHash } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { keccak_256 } from "@noble/hashes/sha3.js";
import { decodeFunctionData, encodeFunctionResult, type Hex, toEventSelector } from "viem";
import { inboxAbi } from "../../src/l1/abi/inbox.ts";
import { rollupAbi } from "../../src/l1/abi/rollup.ts";
import { attestationsHash } from "../../src/l1/checkpoints/propose-call.ts";
import { CHECKPOINT_PROPOSED_TOPIC } from "../../src/l1/checkpoints/proposed-event.ts";
import { proposeCalldata } from "../../src/l1/propose/propose-calldata.ts";
import type { RollupIdentity } from "../../src/l1/types.ts";
import { concat, toHex, u32Bytes } from "../../src/protocol/bytes.ts";
import { attestationPayload } from "../../src/protocol/consensus/digests.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import type { SyntheticCheckpoint } from "./synthetic-chain.ts";

interface Call {
  id: unknown;
  method: string;
  params: unknown[];
}

const NONE = new Uint8Array(0);
const EMPTY_ATTESTATIONS = { signatureIndices: NONE, signaturesOrAddresses: NONE };
const EMPTY_HASH = attestationsHash(EMPTY_ATTESTATIONS);
const MESSAGE_SENT = toEventSelector(
  inboxAbi.find((item) => item.type === "event" && item.name === "MessageSent") as never,
);
/** L1 blocks and checkpoints behind the latest. */
const FINALIZED_BEHIND = 64;
const UNPROVEN = 32;

const quantity = (value: number): Hex => `0x${value.toString(16)}`;
const hex = (bytes: Uint8Array): Hex => toHex(bytes) as Hex;
const hashOf = (kind: string, number: number): Hex =>
  `0x${createHash("sha256").update(kind).update(u32Bytes(number)).digest("hex")}`;

/**
 * The JSON-RPC of an L1 whose rollup has a synthetic chain: one checkpoint in each slot. What depends on the chain is
 * answered from the checkpoints; the rest, which a node asks when it starts, by a real L1 with the contracts.
 */
export class SyntheticL1 {
  readonly #identity: RollupIdentity;
  readonly #checkpoints: readonly SyntheticCheckpoint[];
  readonly #real: string;
  readonly #perSlot: number;
  /** L1 blocks up to here are the real ones. */
  readonly #first: number;
  readonly #byTransaction: ReadonlyMap<string, SyntheticCheckpoint>;
  readonly #server: Server;

  static async start(
    real: string,
    identity: RollupIdentity,
    checkpoints: readonly SyntheticCheckpoint[],
  ): Promise<SyntheticL1> {
    const l1 = new SyntheticL1(real, identity, checkpoints);
    await new Promise<void>((resolve) => l1.#server.listen(0, "127.0.0.1", resolve));
    return l1;
  }

  private constructor(real: string, identity: RollupIdentity, checkpoints: readonly SyntheticCheckpoint[]) {
    const { slotDuration, ethereumSlotDuration, l1StartBlock } = identity.constants;
    this.#identity = identity;
    this.#checkpoints = checkpoints;
    this.#real = real;
    this.#perSlot = Math.floor(slotDuration / ethereumSlotDuration);
    this.#first = l1StartBlock;
    this.#byTransaction = new Map(checkpoints.map((each) => [hashOf("tx", each.checkpointNumber), each]));
    this.#server = createServer((request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.once("end", () => {
        this.#answer(Buffer.concat(parts).toString("utf8")).then(
          (text) => response.setHeader("content-type", "application/json").end(text),
          () => response.writeHead(500).end(),
        );
      });
    });
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }

  async #answer(body: string): Promise<string> {
    const given = JSON.parse(body) as Call | Call[];
    const answers = await Promise.all(
      [given].flat().map(async (call) => {
        const result = this.#own(call);
        return result === undefined ? this.#ask(call) : { jsonrpc: "2.0", id: call.id, result };
      }),
    );
    return JSON.stringify(Array.isArray(given) ? answers : answers[0]);
  }

  async #ask(call: Call): Promise<unknown> {
    // The real L1 has none of the synthetic blocks, and its contracts' constants are those of every block.
    const params = call.method === "eth_call" ? [call.params[0], "latest"] : call.params;
    const body = JSON.stringify({ jsonrpc: "2.0", id: call.id, method: call.method, params });
    const reply = await fetch(this.#real, { method: "POST", headers: { "content-type": "application/json" }, body });
    return reply.json();
  }

  /** The result of a call that depends on the chain; undefined for others. */
  #own({ method, params }: Call): unknown {
    switch (method) {
      case "eth_blockNumber":
        return quantity(this.#latest);
      case "eth_getBlockByNumber":
        return this.#block(params[0] as string);
      case "eth_getLogs":
        return this.#logs(params[0] as { fromBlock: string; toBlock: string; topics: string[] });
      case "eth_getTransactionByHash":
        return this.#transaction(params[0] as string);
      case "eth_call":
        return this.#call(params[0] as { to: string; data: Hex }, params[1] as string);
      default:
        return undefined;
    }
  }

  get #latest(): number {
    return this.#l1Block(this.#checkpoints.length) + this.#perSlot;
  }

  #l1Block(checkpoint: number): number {
    return this.#first + checkpoint * this.#perSlot;
  }

  /** Number of the last checkpoint up to an L1 block. */
  #checkpointAt(l1Block: number): number {
    return Math.min(this.#checkpoints.length, Math.floor((l1Block - this.#first) / this.#perSlot));
  }

  #blockNumber(tag: string): number {
    if (tag === "latest" || tag === "pending") return this.#latest;
    if (tag === "finalized" || tag === "safe") return this.#latest - FINALIZED_BEHIND * this.#perSlot;
    return Number(tag);
  }

  #block(tag: string): unknown {
    const number = this.#blockNumber(tag);
    if (number <= this.#first) return undefined;
    if (number > this.#latest) return null;
    const { l1GenesisTime, ethereumSlotDuration } = this.#identity.constants;
    return {
      number: quantity(number),
      hash: hashOf("block", number),
      parentHash: hashOf("block", number - 1),
      timestamp: quantity(l1GenesisTime + (number - this.#first) * ethereumSlotDuration),
      baseFeePerGas: "0x7",
      transactions: [],
    };
  }

  #logs({ fromBlock, toBlock, topics }: { fromBlock: string; toBlock: string; topics: string[] }): unknown {
    if (topics[0] === MESSAGE_SENT) return [];
    if (topics[0] !== CHECKPOINT_PROPOSED_TOPIC) return undefined;
    const from = this.#checkpointAt(Number(fromBlock) - 1);
    return this.#checkpoints.slice(Math.max(0, from), this.#checkpointAt(Number(toBlock))).map((each) => {
      const number = this.#l1Block(each.checkpointNumber);
      const { versionedBlobHashes: hashes } = each;
      const length = fr(hashes.length);
      const data = concat(
        fr(96),
        keccak_256(attestationPayload(V4.consensus, each.archiveRoot, new Uint8Array(32), each.hash)),
        EMPTY_HASH,
        length,
        ...hashes,
      );
      return {
        address: this.#identity.addresses.rollupAddress,
        topics: [CHECKPOINT_PROPOSED_TOPIC, hex(fr(each.checkpointNumber)), hex(each.archiveRoot)],
        data: hex(data),
        blockNumber: quantity(number),
        blockHash: hashOf("block", number),
        transactionHash: hashOf("tx", each.checkpointNumber),
        transactionIndex: "0x0",
        logIndex: "0x0",
        removed: false,
      };
    });
  }

  #transaction(hash: string): unknown {
    const found = this.#byTransaction.get(hash);
    if (found === undefined) return undefined;
    const { archiveRoot, header, commitments, checkpointNumber } = found;
    const input = proposeCalldata({
      ...{ archiveRoot, feeAssetPriceModifier: 0, header, commitments, signature: new Uint8Array(65) },
      attestations: { ...EMPTY_ATTESTATIONS, signers: [] },
    });
    return {
      hash,
      to: this.#identity.addresses.rollupAddress,
      input: hex(input),
      blockHash: hashOf("block", this.#l1Block(checkpointNumber)),
      blockNumber: quantity(this.#l1Block(checkpointNumber)),
    };
  }

  #call({ to, data }: { to: string; data: Hex }, tag: string): Hex | undefined {
    const { rollupAddress, inboxAddress } = this.#identity.addresses;
    const at = this.#checkpointAt(this.#blockNumber(tag));
    const proven = Math.max(0, at - UNPROVEN);
    if (to === inboxAddress) {
      const result = { rollingHash: `0x${"00".repeat(16)}`, totalMessagesInserted: 0n, inProgress: 2n } as const;
      return encodeFunctionResult({ abi: inboxAbi, functionName: "getState", result });
    }
    if (to !== rollupAddress) return undefined;
    let call: ReturnType<typeof decodeFunctionData<typeof rollupAbi>>;
    try {
      call = decodeFunctionData({ abi: rollupAbi, data });
    } catch {
      return undefined;
    }
    switch (call.functionName) {
      case "archiveAt":
        return this.#archive(Number(call.args[0]));
      case "canPruneAtTime":
        return hex(fr(0));
      case "getProvenCheckpointNumber":
        return hex(fr(proven));
      case "status":
        return hex(
          concat(
            fr(proven),
            this.#archiveBytes(proven),
            fr(at),
            this.#archiveBytes(at),
            this.#archiveBytes(Number(call.args[0])),
            fr(0),
          ),
        );
      default:
        return undefined;
    }
  }

  #archive(checkpoint: number): Hex | undefined {
    return checkpoint === 0 ? undefined : hex(this.#archiveBytes(checkpoint));
  }

  #archiveBytes(checkpoint: number): Uint8Array {
    if (checkpoint === 0) return this.#identity.genesisArchiveRoot;
    return this.#checkpoints[checkpoint - 1]?.archiveRoot ?? fr(0);
  }
}
