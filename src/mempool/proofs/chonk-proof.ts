import { kernelOutputFields } from "../../core/derive/tx-hash.ts";
import { concat } from "../../protocol/bytes.ts";
import type { CircuitRules } from "../../protocol/generations/circuits.ts";
import type { TransactionRules } from "../../protocol/generations/transactions.ts";
import { isForPublic } from "../../protocol/tx/accumulated-data.ts";
import type { Tx } from "../../protocol/tx/tx.ts";

const FIELD_BYTES = 32;

/** What a generation says of its transactions' proofs. */
export interface ChonkRules {
  readonly transactions: Pick<TransactionRules, "proofParts">;
  readonly circuits: Pick<CircuitRules, "verificationKeys">;
}

/** Verification key of the circuit that a tx's proof belongs to. */
export function proofKey({ circuits }: Pick<ChonkRules, "circuits">, data: Uint8Array): Uint8Array {
  const { HIDING_KERNEL_TO_PUBLIC, HIDING_KERNEL_TO_ROLLUP } = circuits.verificationKeys;
  return Buffer.from((isForPublic(data) ? HIDING_KERNEL_TO_PUBLIC : HIDING_KERNEL_TO_ROLLUP).fields, "base64");
}

/**
 * What is verified: the kernel's output as public inputs, then the proof's fields without their count, 32 bytes each
 * (docs/protocol/07-transactions-and-fees.md#716-proofs).
 */
export function proofFields({ data, chonkProof }: Pick<Tx, "data" | "chonkProof">): Uint8Array {
  return concat(kernelOutputFields(data), chonkProof.subarray(4));
}

/** The parts of a proof as the members of bb's message, each a list of fields or a message of parts. */
export interface ProofMessage {
  [member: string]: Uint8Array[] | ProofMessage;
}

/**
 * The proof of a tx as a message to bb: all parts but the first, which begins with the public inputs, have a length.
 */
export function proofMessage(
  { transactions: { proofParts } }: Pick<ChonkRules, "transactions">,
  tx: Pick<Tx, "data" | "chonkProof">,
): ProofMessage {
  const bytes = proofFields(tx);
  const fields = Array.from({ length: bytes.length / FIELD_BYTES }, (_, i) =>
    bytes.subarray(i * FIELD_BYTES, (i + 1) * FIELD_BYTES),
  );
  const message: ProofMessage = {};
  let end = fields.length;
  for (const [i, part] of [...proofParts.entries()].reverse()) {
    const start = i === 0 ? 0 : end - part.fields;
    place(message, part.path, fields.slice(start, end));
    end = start;
  }
  return message;
}

function place(message: ProofMessage, [member, ...inner]: readonly string[], fields: Uint8Array[]): void {
  if (inner.length === 0) message[member] = fields;
  else {
    message[member] ??= {};
    place(message[member] as ProofMessage, inner, fields);
  }
}
