import { InvalidOptionError } from "../../config/errors.ts";
import type { Kind } from "../../config/kinds/kinds.ts";
import { OPTIONS } from "../../config/options.ts";
import { BOOTNODE_FIRST_SEQUENCE, bootnodeContent } from "../../p2p/discovery/node-record.ts";
import { OwnRecord } from "../../p2p/discovery/own-record.ts";
import { peerIdentity } from "../../p2p/identity/peer-identity.ts";
import { DEFAULT_GENERATION } from "../../protocol/generations/known/choose.ts";

export interface BootnodeArguments {
  privateKey: string;
  ip: string;
  port: string;
  l1ChainId: string;
}

function parsed<T>(name: string, { parse, rule }: Kind<T>, text: string): T {
  const value = parse(text);
  if (value !== undefined) return value;
  throw new InvalidOptionError(name, { kind: "default" }, rule, JSON.stringify(text.slice(0, 80)));
}

/** Text of the record with which a bootnode starts. Throws an OperatorError. */
export function bootnodeRecord({ privateKey, ip, port, l1ChainId }: BootnodeArguments): string {
  const identity = peerIdentity(privateKey, "privateKey");
  const announced = {
    l1ChainId: parsed("--l1-chain-id", OPTIONS.l1ChainId.kind, l1ChainId),
    ip: parsed("p2pIp", OPTIONS.p2pIp.kind, ip),
    udp: parsed("p2pPort", OPTIONS.p2pPort.kind, port),
  };
  const content = bootnodeContent(announced, DEFAULT_GENERATION.contracts);
  return new OwnRecord({ identity, content, file: undefined, first: BOOTNODE_FIRST_SEQUENCE }).text;
}
