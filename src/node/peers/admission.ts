import { ConfigurationError } from "../../config/errors.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { PeerChannels, PeerServices } from "../../p2p/peer-node.ts";
import { type ListedPeers, ProtectedPeers } from "../../p2p/peers/protected-peers.ts";
import { StatusHandshake } from "../../p2p/peers/status-handshake.ts";
import { ValidatorsOnly } from "../../p2p/peers/validators-only.ts";
import type { StatusMessage } from "../../p2p/reqresp/codecs/status-message.ts";
import type { Teardown } from "../../process/teardown.ts";
import type { MessageRollup } from "../../protocol/consensus/message-rollup.ts";
import type { ChainContext } from "../context/chain-context.ts";

interface AdmissionOptions {
  values: PartValues["p2p"];
  channels: Pick<PeerChannels, "client" | "peers">;
  listed: ListedPeers;
  rollup: MessageRollup;
  status(): StatusMessage;
  teardown: Teardown;
}

/** Throws a ConfigurationError for settings that exclude each other. */
export function checkAdmission({ onlyValidators, noHandshake }: PartValues["p2p"]["admission"]): void {
  if (onlyValidators && noHandshake) {
    throw new ConfigurationError(
      "P2P_ALLOW_ONLY_VALIDATORS needs the handshake that P2P_DISABLE_STATUS_HANDSHAKE disables: set one of them",
    );
  }
}

/** Which peers may stay: those of this network or, where so configured, its validators only. */
export function admission(
  { reader, clock, loggerFor }: ChainContext,
  { values, channels, listed, rollup, status, teardown }: AdmissionOptions,
): Pick<PeerServices, "handshake" | "rule"> {
  const statusHandshake = new StatusHandshake(channels.client, status);
  if (!values.admission.onlyValidators) {
    return { handshake: values.admission.noHandshake ? undefined : statusHandshake };
  }
  const validators = new ValidatorsOnly({
    client: channels.client,
    host: channels.peers,
    protectedPeers: new ProtectedPeers(listed),
    statusHandshake,
    rollup,
    status,
    attesters: () => reader.attesters(),
    allowedFailures: values.admission.allowedFailures,
    now: clock.now,
    logger: loggerFor("p2p:peers"),
  });
  const timer = setInterval(() => void validators.upkeep(), values.peers.heartbeatMs);
  teardown.add("upkeep of authentications", () => clearInterval(timer));
  return {
    handshake: validators,
    rule: { refuses: (who) => validators.refuses(who), isShutOut: (peer) => !validators.isAdmitted(peer) },
  };
}
