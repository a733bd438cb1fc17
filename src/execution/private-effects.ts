import { toHex } from "../protocol/bytes.ts";
import type { Fr } from "../protocol/field.ts";
import type { AccumulatedData } from "../protocol/tx/accumulated-data.ts";
import type { TxHost } from "./tx-host.ts";

type PrivateEffects = Pick<AccumulatedData, "nullifiers" | "noteHashes" | "l2ToL1Msgs">;

/** Why effects could not be added: a nullifier exists, or a limit of the tx is reached. */
interface Refusal {
  readonly of: "collision" | "limit";
  readonly message: string;
}

/**
 * Adds the effects that stay even if the calls revert; their note hashes are already unique
 * (docs/protocol/06-public-execution.md#624-phases step 1). Returns why it could not, or undefined on success. The
 * format of a tx keeps their numbers within the limits.
 */
export function addNonRevertible(
  host: TxHost,
  { nullifiers, noteHashes, l2ToL1Msgs }: PrivateEffects,
): Refusal | undefined {
  const refused = addNullifiers(host, nullifiers);
  if (refused !== undefined) return refused;
  for (const noteHash of noteHashes) host.addNoteHash(noteHash);
  for (const message of l2ToL1Msgs) host.effects.addMessage(message);
  return undefined;
}

/**
 * As addNonRevertible, for the effects that are undone when app logic fails (step 4). Their note hashes are siloed but
 * not unique yet, and the limits may be reached.
 */
export function addRevertible(
  host: TxHost,
  { nullifiers, noteHashes, l2ToL1Msgs }: PrivateEffects,
): Refusal | undefined {
  const { effects } = host;
  const refused = addNullifiers(host, nullifiers);
  if (refused !== undefined) return refused;
  for (const siloed of noteHashes) {
    if (!effects.hasNoteHashRoom) return limit("Maximum number of note hashes reached");
    host.addSiloedNoteHash(siloed);
  }
  for (const message of l2ToL1Msgs) {
    if (!effects.hasMessageRoom) return limit("Maximum number of L2 to L1 messages reached");
    effects.addMessage(message);
  }
  return undefined;
}

function limit(message: string): Refusal {
  return { of: "limit", message };
}

function addNullifiers(host: TxHost, nullifiers: readonly Fr[]): Refusal | undefined {
  for (const siloed of nullifiers) {
    if (!host.effects.hasNullifierRoom) return limit("Maximum number of nullifiers reached");
    if (!host.addNullifier(siloed)) {
      return { of: "collision", message: `Attempted to emit duplicate siloed nullifier ${toHex(siloed)}.` };
    }
  }
  return undefined;
}
