/** Settings of P2P that can change at run time. */
export interface LivePeerSettings {
  /** Execute the blocks that others propose. */
  reexecutes: boolean;
  /** Add executed blocks to the chain as proposed blocks. */
  storesProposedBlocks: boolean;
  /** Do not process the proposals of others; they are forwarded all the same. */
  skipProposals: boolean;
}
