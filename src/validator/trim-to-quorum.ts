/** An attestation as L1 takes it. */
export interface SignedBy {
  /** Lower-case 0x text. */
  attester: string;
  /** 65 bytes r, s, v. */
  signature: Uint8Array;
}

/**
 * The signatures of exactly `required` attesters, by address: first those of `first`, in its order, then others. L1
 * does not take more than the quorum.
 */
export function trimToQuorum(
  collected: readonly SignedBy[],
  { required, first }: { required: number; first: readonly string[] },
): Map<string, Uint8Array> {
  const signatures = new Map(collected.map(({ attester, signature }) => [attester, signature]));
  const order = new Set([...first, ...signatures.keys()]);
  const taken = new Map<string, Uint8Array>();
  for (const attester of order) {
    const signature = signatures.get(attester);
    if (signature !== undefined && taken.size < required) taken.set(attester, signature);
  }
  return taken;
}
