import type { ContractFunctionReturnType } from "viem";
import { fromHex } from "../../protocol/bytes.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { inboxAbi } from "../abi/inbox.ts";
import { registryAbi } from "../abi/registry.ts";
import { rollupAbi } from "../abi/rollup.ts";
import { archiveAt, type RetrieveContext, retrieveCheckpoints } from "../checkpoints/retrieve.ts";
import { EpochCommittees } from "../committee/epoch-committee.ts";
import { registeredAttesters } from "../committee/registered-attesters.ts";
import { type Contract, read, readEach } from "../contracts/contract.ts";
import { L1EndpointError, L1RpcError } from "../errors.ts";
import { JsonRpcFeeReader, lastingFees } from "../fees/fee-reader.ts";
import { readAtLatest } from "../latest-block.ts";
import { JsonRpcOutboxReader } from "../outbox/outbox-reader.ts";
import { JsonRpcProposalReader } from "../proposals/proposal-reader.ts";
import { block, blockAt } from "../rpc/answers.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";
import type {
  ConnectedRollup,
  EndpointView,
  EpochCommittee,
  FeeReader,
  InboxMessage,
  InboxState,
  L1Block,
  MissingHistory,
  OutboxReader,
  ProposalReader,
  ProposedCheckpoint,
  RollupIdentity,
  RollupReader,
  RollupStatus,
} from "../types.ts";
import { retrieveMessages } from "./inbox-messages.ts";
import { missingHistory } from "./missing-history.ts";

type StatusAnswer = ContractFunctionReturnType<typeof rollupAbi, "view", "status">;
type ViewQuestion = Parameters<RollupReader["views"]>[0];

/** Checkpoint numbers are stored as u32. */
const MAX_CHECKPOINTS = 2 ** 32 - 1;
/** Message indices are stored as u48. */
const MAX_MESSAGES = 2 ** 48 - 1;

/** ConnectedRollup over JSON-RPC. Caches only recent epochs and values of the latest L1 block. */
export class JsonRpcRollupReader implements ConnectedRollup {
  readonly identity: RollupIdentity;
  readonly fees: FeeReader;
  readonly outbox: OutboxReader;
  readonly proposals: ProposalReader;
  readonly #rpc: L1Rpc;
  readonly #rollup: Contract<typeof rollupAbi>;
  readonly #inbox: Contract<typeof inboxAbi>;
  readonly #retrieve: RetrieveContext;
  readonly #committees: EpochCommittees;

  constructor(rpc: L1Rpc, debugRpc: L1Rpc, identity: RollupIdentity, logger: Logger, now?: () => number) {
    const { rollupAddress, inboxAddress } = identity.addresses;
    this.identity = identity;
    this.#rpc = rpc;
    this.#rollup = { name: "Rollup", address: rollupAddress, abi: rollupAbi };
    this.#inbox = { name: "Inbox", address: inboxAddress, abi: inboxAbi };
    const generation = generationNamed(identity.generation);
    const committeeSize = identity.constants.targetCommitteeSize;
    const { l1ChainId, constants } = identity;
    this.#retrieve = { generation, l1ChainId, rpc, debugRpc, rollupAddress, committeeSize, constants, logger };
    this.#committees = new EpochCommittees(rpc, identity, logger);
    this.fees = lastingFees(new JsonRpcFeeReader({ rpc, identity, latestBlock: () => this.latestBlock(), now }));
    this.outbox = new JsonRpcOutboxReader({
      rpc,
      identity,
      rules: generation.l1.outbox,
      finalizedBlock: () => this.finalizedBlock(),
      logger,
    });
    this.proposals = new JsonRpcProposalReader({ rpc, identity, latestBlock: () => this.latestBlock(), logger });
  }

  async latestBlock(): Promise<L1Block> {
    const latest = await this.#block("latest");
    if (latest) return latest;
    const fields = { url: this.#rpc.urls[0], method: "eth_getBlockByNumber" };
    throw new L1EndpointError("nonsense", "the endpoint knows no latest block", fields);
  }

  async finalizedBlock(): Promise<L1Block | undefined> {
    try {
      return await this.#block("finalized");
    } catch (error) {
      // Before the first finalized epoch, execution clients return an error instead of null.
      if (error instanceof L1RpcError) return undefined;
      throw error;
    }
  }

  block(number: number): Promise<L1Block | undefined> {
    return this.#block(`0x${number.toString(16)}`, blockAt(number));
  }

  async #block(tag: string, parse = block): Promise<L1Block | undefined> {
    const found = await this.#rpc.request({ method: "eth_getBlockByNumber", params: [tag, false], parse });
    return found && { number: found.number, hash: found.hash, timestamp: found.timestamp };
  }

  async status(checkpointNumber: number, at: number): Promise<RollupStatus> {
    return this.#status(await read(this.#rpc, this.#rollup, "status", [BigInt(checkpointNumber)], at));
  }

  #status([proven, provenArchive, pending, pendingArchive, archiveOfMyCheckpoint]: StatusAnswer): RollupStatus {
    return {
      provenCheckpointNumber: this.#count(proven, "status", MAX_CHECKPOINTS),
      provenArchive: fromHex(provenArchive),
      pendingCheckpointNumber: this.#count(pending, "status", MAX_CHECKPOINTS),
      pendingArchive: fromHex(pendingArchive),
      archiveOfMyCheckpoint: fromHex(archiveOfMyCheckpoint),
    };
  }

  async views({ checkpoint, at, earlier = at }: ViewQuestion): Promise<EndpointView[]> {
    const hashes = async (number: number) => {
      const params = [`0x${number.toString(16)}`, false];
      const found = await this.#rpc.requestEach({ method: "eth_getBlockByNumber", params, parse: blockAt(number) });
      return new Map(found.map(({ url, answer }) => [url, answer?.hash]));
    };
    const [heads, earliers, statuses] = await Promise.all([
      hashes(at),
      hashes(earlier),
      readEach(this.#rpc, this.#rollup, "status", [BigInt(checkpoint)], at),
    ]);
    return statuses.map(({ url, answer }) => ({
      url,
      head: heads.get(url),
      earlier: earliers.get(url),
      status: this.#status(answer),
    }));
  }

  /** Throws an L1EndpointError for a number that is too large to be real. */
  #count(value: bigint, name: string, most: number): number {
    if (value <= BigInt(most)) return Number(value);
    throw new L1EndpointError("nonsense", `${name} must be ${most} at most`, {
      url: this.#rpc.urls[0],
      method: "eth_call",
    });
  }

  async provenCheckpointNumber(at: number): Promise<number> {
    const number = await read(this.#rpc, this.#rollup, "getProvenCheckpointNumber", [], at);
    return this.#count(number, "getProvenCheckpointNumber", MAX_CHECKPOINTS);
  }

  canPruneAtTime(timestamp: number, at: number): Promise<boolean> {
    return read(this.#rpc, this.#rollup, "canPruneAtTime", [BigInt(timestamp)], at);
  }

  archiveAt(checkpointNumber: number): Promise<Uint8Array> {
    return archiveAt(this.#rpc, this.#rollup, checkpointNumber);
  }

  checkpoints(fromBlock: number, toBlock: number): Promise<ProposedCheckpoint[]> {
    return retrieveCheckpoints(this.#retrieve, fromBlock, toBlock);
  }

  async inboxState(at: number): Promise<InboxState> {
    const { rollingHash, totalMessagesInserted } = await read(this.#rpc, this.#inbox, "getState", [], at);
    return {
      rollingHash: fromHex(rollingHash),
      totalMessagesInserted: this.#count(totalMessagesInserted, "getState", MAX_MESSAGES),
    };
  }

  messages(fromBlock: number, toBlock: number): Promise<InboxMessage[]> {
    return retrieveMessages(this.#rpc, this.#inbox.address, { fromBlock, toBlock });
  }

  async findMessage(leaf: Uint8Array): Promise<InboxMessage | undefined> {
    const range = { fromBlock: this.identity.constants.l1StartBlock, toBlock: (await this.latestBlock()).number };
    return (await retrieveMessages(this.#rpc, this.#inbox.address, range, leaf)).at(-1);
  }

  missingHistory(at: Pick<L1Block, "number" | "hash">): Promise<MissingHistory[]> {
    return missingHistory(this.#rpc, this.identity.addresses.rollupAddress, at);
  }

  async attesters(): Promise<Uint8Array[]> {
    const { rollupAddress } = this.identity.addresses;
    return readAtLatest(
      () => this.latestBlock(),
      (block) => registeredAttesters(this.#rpc, rollupAddress, block),
    );
  }

  async canonicalRollup(): Promise<string> {
    const registry = { name: "Registry", address: this.identity.addresses.registryAddress, abi: registryAbi };
    return (await read(this.#rpc, registry, "getCanonicalRollup", [])).toLowerCase();
  }

  committee(epoch: number, fresh?: boolean): Promise<EpochCommittee> {
    return this.#committees.get(epoch, async () => (await this.latestBlock()).timestamp, fresh);
  }
}
