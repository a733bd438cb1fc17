import { setTimeout as sleep } from "node:timers/promises";
import { equal } from "../../protocol/bytes.ts";
import type { WireTx } from "../../protocol/consensus/wire-txs.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { TransactionRules } from "../../protocol/generations/transactions.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { PeerPenalties } from "../peers/penalties.ts";
import { type RequestClient, RequestStatus } from "../peers/request-client.ts";
import { decodeTxs, encodeHashes } from "../reqresp/codecs/tx-list.ts";
import type { TakesTxs } from "./collected-txs.ts";
import { type CollectionRequest, takeMissing } from "./collection-request.ts";
import type { RequestPace } from "./request-pace.ts";
import type { RequestPeers } from "./request-peers.ts";

interface ByHashParts {
  client: RequestClient;
  peers: RequestPeers;
  penalties: PeerPenalties;
  /** Shared by all searches. */
  pace: RequestPace;
  collected: TakesTxs;
  /** Forms of the answers' txs. */
  transactions: TransactionRules;
  logger: Logger;
}

export interface ByHashLimits {
  /** Peers asked at once. */
  peers: number;
  rounds: number;
  /** Requests to the pinned peer in one round: what it answers in a second. */
  pinnedRequests: number;
}

export const BY_HASH_LIMITS: ByHashLimits = { peers: 10, rounds: 3, pinnedRequests: 10 };

type ByHashRequest = Pick<CollectionRequest, "missing" | "purpose" | "peer">;

/**
 * Asks peers for missing txs, one hash in each request: peers in parallel, the requests of a peer one after the other,
 * in each round of another peer (docs/protocol/10-peers.md#1015-collecting-transactions). Never rejects.
 */
export async function requestByHash(
  parts: ByHashParts,
  limits: ByHashLimits,
  request: ByHashRequest,
  signal: AbortSignal,
): Promise<void> {
  const { missing, peer: pinned } = request;
  /** Peers that did not answer as they should. */
  const left = new Set<string>();
  for (let round = 0; round < limits.rounds && missing.size > 0 && !signal.aborted; round++) {
    const connected = parts.peers.leastBusy().filter((id) => !left.has(id));
    const sampled = connected.filter((id) => id !== pinned).slice(0, limits.peers);
    const hashes = missing.hashes();
    const shares = shareOut(hashes, sampled, limits.peers, round);
    if (pinned !== undefined && connected.includes(pinned)) shares.set(pinned, hashes.slice(0, limits.pinnedRequests));
    await Promise.all(
      [...shares].map(async ([peer, share]) => {
        for (const hash of share) {
          await sleep(Math.max(0, parts.pace.nextAt(peer) - performance.now()), undefined, { signal }).catch(
            () => undefined,
          );
          if (!missing.has(hash) || signal.aborted) continue;
          parts.pace.take(peer, performance.now());
          const mayAskAgain = await askFor(parts, request, { peer, hash }, signal);
          if (mayAskAgain) continue;
          left.add(peer);
          return;
        }
      }),
    );
  }
}

/** Pause between two searches by hash for the same txs. */
const REPEAT_MS = 500;

/** Begins again while something is missing, until `signal` aborts. Never rejects. */
export async function repeatByHash(parts: ByHashParts, request: ByHashRequest, signal: AbortSignal): Promise<void> {
  while (request.missing.size > 0 && !signal.aborted) {
    await requestByHash(parts, BY_HASH_LIMITS, request, signal);
    if (request.missing.size > 0) await sleep(REPEAT_MS, undefined, { signal }).catch(() => undefined);
  }
}

/** Hashes by peer: runs of equal length, shifted by one peer in each round. */
function shareOut(
  hashes: readonly Uint8Array[],
  peers: readonly string[],
  maxPeers: number,
  round: number,
): Map<string, Uint8Array[]> {
  const shares = new Map<string, Uint8Array[]>();
  if (peers.length === 0) return shares;
  const perPeer = Math.max(1, Math.floor(hashes.length / maxPeers));
  for (const [i, hash] of hashes.entries()) {
    const peer = peers[(Math.floor(i / perPeer) + round) % peers.length];
    shares.set(peer, [...(shares.get(peer) ?? []), hash]);
  }
  return shares;
}

/** Returns whether the peer may be asked for another tx. */
async function askFor(
  { client, penalties, collected, transactions, logger }: ByHashParts,
  request: ByHashRequest,
  { peer, hash }: { peer: string; hash: Uint8Array },
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const { status, body } = await client.request(peer, "tx", encodeHashes([hash]), { signal });
    if (signal.aborted) return false;
    if (status !== RequestStatus.SUCCESS) return status === RequestStatus.NOT_FOUND;
    const txs = decoded(body, transactions, (fault) => penalties.penalize(peer, "mid", fault));
    if (txs === undefined) return false;
    if (txs.some((tx) => !equal(tx.hash, hash))) {
      penalties.penalize(peer, "mid", "it sent a transaction that was not asked for");
      return false;
    }
    const { invalid } = await takeMissing(collected, request, txs.slice(0, 1));
    if (invalid.length > 0) penalties.penalize(peer, "low", "it sent an invalid transaction");
    return invalid.length === 0;
  } catch (error) {
    logger.warn({ peer, err: error }, "an answer of {peer} could not be processed");
    return false;
  }
}

function decoded(
  body: Uint8Array,
  transactions: TransactionRules,
  penalize: (fault: string) => void,
): WireTx[] | undefined {
  try {
    return body.length === 0 ? [] : decodeTxs(body, transactions);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    penalize(error.message);
    return undefined;
  }
}
