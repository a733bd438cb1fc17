import type { RollupIdentity } from "../../l1/types.ts";
import { concat, fromHex, toHex } from "../../protocol/bytes.ts";
import type { L1Constants } from "../../protocol/time.ts";
import type { PrefilledEntry } from "../../world-state/genesis.ts";
import { FrameError } from "./errors.ts";
import type { Frame } from "./frames.ts";
import { FEED_VERSION } from "./request.ts";

/** The chain that an upstream serves. */
export interface Hello {
  identity: RollupIdentity;
  publicData: PrefilledEntry[];
  /** Port of its JSON-RPC; 0 for none. */
  rpcPort: number;
}

const ENTRY_BYTES = 64;
const CONSTANTS = [
  "l1StartBlock",
  "l1GenesisTime",
  "slotDuration",
  "epochDuration",
  "ethereumSlotDuration",
  "proofSubmissionEpochs",
  "targetCommitteeSize",
  "rollupManaLimit",
] as const satisfies (keyof L1Constants)[];
/** Durations are divided by. */
const POSITIVE = new Set<string>(["slotDuration", "epochDuration", "ethereumSlotDuration"]);
const REQUIRED_ADDRESSES = [
  "registryAddress",
  "rollupAddress",
  "inboxAddress",
  "outboxAddress",
  "feeJuiceAddress",
  "stakingAssetAddress",
  "feeJuicePortalAddress",
  "coinIssuerAddress",
  "rewardDistributorAddress",
  "governanceProposerAddress",
  "governanceAddress",
] as const;
const OPTIONAL_ADDRESSES = [
  "gseAddress",
  "dateGatedRelayerAddress",
  "slashFactoryAddress",
  "feeAssetHandlerAddress",
  "stakingAssetHandlerAddress",
  "zkPassportVerifierAddress",
] as const;

export function identityText({ l1StartBlockHash, genesisArchiveRoot, ...identity }: RollupIdentity): string {
  return JSON.stringify({
    ...identity,
    l1StartBlockHash: toHex(l1StartBlockHash),
    genesisArchiveRoot: toHex(genesisArchiveRoot),
  });
}

export function helloFrame({ identity, publicData, rpcPort }: Hello): Extract<Frame, { kind: "hello" }> {
  return {
    kind: "hello",
    version: FEED_VERSION,
    identity: identityText(identity),
    publicData: concat(...publicData.flatMap(({ slot, value }) => [slot, value])),
    rpcPort,
  };
}

/** Throws FrameError. */
export function readHello({ version, identity, publicData, rpcPort }: Extract<Frame, { kind: "hello" }>): Hello {
  if (version !== FEED_VERSION) throw new FrameError("hello version", `must be ${FEED_VERSION}, got ${version}`);
  if (publicData.length % ENTRY_BYTES !== 0) throw new FrameError("hello publicData", "must be entries of 64 bytes");
  const entries: PrefilledEntry[] = [];
  for (let at = 0; at < publicData.length; at += ENTRY_BYTES) {
    entries.push({ slot: publicData.slice(at, at + 32), value: publicData.slice(at + 32, at + 64) });
  }
  return { identity: readIdentity(identity), publicData: entries, rpcPort };
}

/** Throws FrameError. */
export function readIdentity(text: string): RollupIdentity {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    throw new FrameError("identity", "must be JSON");
  }
  const top = record("identity", given);
  const constants = record("identity constants", top.constants);
  const addresses = record("identity addresses", top.addresses);
  const present = OPTIONAL_ADDRESSES.filter((name) => addresses[name] !== undefined);
  return {
    l1ChainId: count("l1ChainId", top.l1ChainId, 1),
    rollupVersion: count("rollupVersion", top.rollupVersion, 0),
    addresses: Object.fromEntries(
      [...REQUIRED_ADDRESSES, ...present].map((name) => [name, hex(name, addresses[name], 20)]),
    ) as unknown as RollupIdentity["addresses"],
    constants: Object.fromEntries(
      CONSTANTS.map((name) => [name, count(name, constants[name], POSITIVE.has(name) ? 1 : 0)]),
    ) as unknown as L1Constants,
    l1StartBlockHash: fromHex(hex("l1StartBlockHash", top.l1StartBlockHash, 32)),
    genesisArchiveRoot: fromHex(hex("genesisArchiveRoot", top.genesisArchiveRoot, 32)),
  };
}

function record(name: string, value: unknown): Record<string, unknown> {
  if (typeof value !== "object" || value === null) throw new FrameError(name, "must be an object");
  return value as Record<string, unknown>;
}

function count(name: string, value: unknown, least: number): number {
  if (typeof value !== "number" || !Number.isSafeInteger(value) || value < least) {
    throw new FrameError(`identity ${name}`, `must be an integer of at least ${least}`);
  }
  return value;
}

function hex(name: string, value: unknown, bytes: number): string {
  if (typeof value !== "string" || !new RegExp(`^0x[0-9a-f]{${2 * bytes}}$`).test(value)) {
    throw new FrameError(`identity ${name}`, `must be ${bytes} bytes in lower-case hex`);
  }
  return value;
}
