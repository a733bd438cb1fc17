export interface TransactionRules {
  /** Fields of a transaction's proof. */
  readonly proofFields: number;
  /** Most blob fields of a transaction's effects; undefined: what the limits of their kinds allow. */
  readonly maxBlobFields: number | undefined;
}
