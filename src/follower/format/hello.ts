import { JsonField } from "../../json/json-field.ts";
import { identityJson, readIdentityJson } from "../../l1/identity-json.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import { concat } from "../../protocol/bytes.ts";
import type { PrefilledEntry } from "../../world-state/tables/genesis-row.ts";
import { FrameError } from "./errors.ts";
import type { Frame } from "./frames.ts";
import { FEED_VERSION } from "./request.ts";

/** The chain that an upstream serves. */
export interface Hello {
  identity: RollupIdentity;
  publicData: readonly PrefilledEntry[];
  /** Port of its JSON-RPC; 0 for none. */
  rpcPort: number;
}

const ENTRY_BYTES = 64;
export function helloFrame({ identity, publicData, rpcPort }: Hello): Extract<Frame, { kind: "hello" }> {
  return {
    kind: "hello",
    version: FEED_VERSION,
    identity: JSON.stringify(identityJson(identity)),
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
  const identity = JsonField.parse(text, "identity", ({ field }, rule) => {
    throw new FrameError(`identity ${field}`.trim(), rule);
  });
  return readIdentityJson(identity);
}
