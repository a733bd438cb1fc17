export interface TransactionRules {
  /** Fields of a transaction's proof. */
  readonly proofFields: number;
  /** Most blob fields of a transaction's effects; undefined: what the limits of their kinds allow. */
  readonly maxBlobFields: number | undefined;
  /** What the largest gas limits of a transaction that every block can include follow from. */
  readonly gasLimits: {
    /** DA gas that one transaction can use. */
    readonly maxDaGas: number;
    /** Blob fields that each block of a checkpoint after the first ends with, as far as they are set aside. */
    readonly fieldsOfFurtherBlocks: number;
  };
}
