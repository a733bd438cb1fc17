import { randomBytes } from "node:crypto";
import { toHex } from "../../protocol/bytes.ts";
import type { MessageRollup } from "../../protocol/consensus/message-rollup.ts";
import { signerRecovery } from "../../protocol/consensus/signer-recovery.ts";
import { digestSigner } from "../../protocol/consensus/wire-signature.ts";
import { personalMessage } from "../../protocol/personal-message.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { authPayloadHash, decodeAuthResponse, encodeAuthRequest } from "../reqresp/codecs/auth-message.ts";
import type { StatusMessage } from "../reqresp/codecs/status-message.ts";
import { Authentications } from "./authentications.ts";
import { FailedAuthentications } from "./failed-authentications.ts";
import type { Handshake, HandshakeOutcome } from "./handshake.ts";
import type { PeerHost } from "./peer-host.ts";
import type { ProtectedPeers } from "./protected-peers.ts";
import type { RequestClient } from "./request-client.ts";
import { checkStatus, decodedAnswer } from "./status-handshake.ts";

/** Time for which the attesters read from L1 count, in milliseconds. */
const ATTESTERS_FOR_MS = 60_000;

interface ValidatorsOnlyParts {
  client: RequestClient;
  host: Pick<PeerHost, "peers" | "onDisconnect" | "hangUp">;
  protectedPeers: ProtectedPeers;
  /** For listed peers, which need not authenticate. */
  statusHandshake: Handshake;
  rollup: MessageRollup;
  status(): StatusMessage;
  /** Addresses of all registered attesters, 20 bytes each. */
  attesters(): Promise<readonly Uint8Array[]>;
  /** Failures after which a peer or an IP address is refused. */
  allowedFailures: number;
  /** Unix milliseconds. */
  now(): number;
  logger: Logger;
}

/**
 * Admits validators only: peers prove with a signature that they have the key of a registered attester
 * (docs/protocol/10-peers.md#1017-peer-manager).
 */
export class ValidatorsOnly implements Handshake {
  readonly #parts: ValidatorsOnlyParts;
  readonly #bound = new Authentications();
  readonly #failed: FailedAuthentications;
  #attesters: { set: Promise<ReadonlySet<string>>; until: number } | undefined;

  constructor(parts: ValidatorsOnlyParts) {
    this.#parts = parts;
    this.#failed = new FailedAuthentications(parts.allowedFailures, parts.now);
    parts.host.onDisconnect((peer) => this.#bound.drop(peer));
  }

  /** Whether a peer or an IP address failed too often. */
  refuses(who: string): boolean {
    return this.#failed.isRefused(who);
  }

  /** Whether gossip of the peer counts. */
  isAdmitted(peer: string): boolean {
    return this.#parts.protectedPeers.has(peer) || this.#bound.has(peer);
  }

  async check(peer: string): Promise<HandshakeOutcome> {
    const { protectedPeers, statusHandshake } = this.#parts;
    if (protectedPeers.has(peer)) return statusHandshake.check(peer);
    try {
      const outcome = await this.#authenticate(peer);
      if (!outcome.passed) for (const who of this.#namesOf(peer)) this.#failed.add(who);
      return outcome;
    } catch (error) {
      // A failure of this node or of L1, which does not count against the peer.
      return { passed: false, reason: `the attesters cannot be read: ${error}` };
    }
  }

  /** Peer id and IP address of a connected peer. */
  #namesOf(peer: string): string[] {
    const ip = this.#parts.host.peers().find(({ id }) => id === peer)?.ip;
    return ip === undefined ? [peer] : [peer, ip];
  }

  /** Drops authentications of validators that left the set, and disconnects their peers. Never rejects. */
  async upkeep(): Promise<void> {
    const { host, logger } = this.#parts;
    try {
      for (const peer of this.#bound.retain(await this.#registered())) {
        logger.info({ peer }, "the validator of peer {peer} is not registered any more");
        await host.hangUp(peer);
      }
    } catch (error) {
      logger.warn({ err: error }, "the registered attesters cannot be read");
    }
  }

  async #authenticate(peer: string): Promise<HandshakeOutcome> {
    const { client, rollup, status } = this.#parts;
    const own = status();
    const challenge = randomBytes(32);
    // Below the modulus of fields.
    challenge[0] &= 0x1f;
    const answer = await client.request(peer, "auth", encodeAuthRequest({ status: own, challenge }));
    const decoded = decodedAnswer(answer, decodeAuthResponse);
    if ("failure" in decoded) return decoded.failure;
    const sameVersion = checkStatus(decoded.value.status, own.version);
    if (!sameVersion.passed) return sameVersion;
    const { signature } = decoded.value;
    const digest = personalMessage(authPayloadHash(challenge));
    const signer = digestSigner(digest, signature, await signerRecovery(), rollup.generation.consensus);
    if (signer === undefined) return { passed: false, reason: "its signature is not valid" };
    const validator = toHex(signer);
    if (!(await this.#registered()).has(validator)) {
      return { passed: false, reason: `${validator} is not a registered attester` };
    }
    if (this.#bound.bind(peer, validator)) {
      for (const who of this.#namesOf(peer)) this.#failed.clear(who);
    } else {
      // It may stay connected, but its gossip does not count.
      this.#parts.logger.debug({ peer, validator }, "{validator} is connected as another peer");
    }
    return { passed: true };
  }

  #registered(): Promise<ReadonlySet<string>> {
    const { now, attesters } = this.#parts;
    if (this.#attesters === undefined || this.#attesters.until <= now()) {
      const set = attesters().then((addresses) => new Set(addresses.map(toHex)));
      this.#attesters = { set, until: now() + ATTESTERS_FOR_MS };
      set.catch(() => {
        this.#attesters = undefined;
      });
    }
    return this.#attesters.set;
  }
}
