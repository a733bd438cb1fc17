import { toHex } from "../protocol/bytes.ts";
import type { Fr } from "../protocol/field.ts";
import type { AccumulatedData } from "../protocol/tx/accumulated-data.ts";
import type { TxHost } from "./tx-host.ts";

type PrivateEffects = Pick<AccumulatedData, "nullifiers" | "noteHashes" | "l2ToL1Msgs">;

/**
 * Adds the effects that stay whatever the calls do; their note hashes are unique already (sheet 05 section 8.4 step 1). Returns why they
 * cannot be added, undefined when they were. Their numbers are within a tx's limits by its form.
 */
export function addNonRevertible(
  host: TxHost,
  { nullifiers, noteHashes, l2ToL1Msgs }: PrivateEffects,
): string | undefined {
  const refused = addNullifiers(host, nullifiers);
  if (refused !== undefined) return refused;
  for (const noteHash of noteHashes) host.effects.addNoteHash(noteHash);
  for (const message of l2ToL1Msgs) host.effects.addMessage(message);
  return undefined;
}

/** As addNonRevertible, for the effects that go when app logic fails: siloed note hashes, and limits that may be reached (step 4). */
export function addRevertible(
  host: TxHost,
  { nullifiers, noteHashes, l2ToL1Msgs }: PrivateEffects,
): string | undefined {
  const { effects } = host;
  const refused = addNullifiers(host, nullifiers);
  if (refused !== undefined) return refused;
  for (const siloed of noteHashes) {
    if (!effects.hasNoteHashRoom) return "Maximum number of note hashes reached";
    host.addSiloedNoteHash(siloed);
  }
  for (const message of l2ToL1Msgs) {
    if (!effects.hasMessageRoom) return "Maximum number of L2 to L1 messages reached";
    effects.addMessage(message);
  }
  return undefined;
}

function addNullifiers(host: TxHost, nullifiers: readonly Fr[]): string | undefined {
  for (const siloed of nullifiers) {
    if (!host.effects.hasNullifierRoom) return "Maximum number of nullifiers reached";
    if (host.nullifierExists(siloed)) return `Attempted to emit duplicate siloed nullifier ${toHex(siloed)}.`;
    host.effects.addNullifier(siloed);
  }
  return undefined;
}
