/** What JSON-RPC says of a rollup, where the generation decides it. */
export interface ApiRules {
  /** Release of the network that its nodes speak for: in answers, in headers, in records for peer discovery. */
  readonly release: string;
  /** Whether `node_` is the API of the release 4.3; otherwise it is another name of the development API. */
  readonly hasReleaseApi: boolean;
  /** Most blocks or checkpoints of an answer that shows no bodies, and most pending transactions. */
  readonly maxListed: number;
  /** Whether the public logs of a transaction are numbered after its private logs; otherwise from 0. */
  readonly publicLogsFollowPrivateLogs: boolean;
  /** Whether a contract is found as of blocks before its deployment. */
  readonly showsContractsEarly: boolean;
  /** Whether contract classes have members for functions that are published apart from the class; none is any more. */
  readonly showsClassFunctions: boolean;
  /** Whether the rollup's constants name the L1 block of its deployment and the archive root of genesis. */
  readonly showsL1Start: boolean;
  /** Words of errors about a block that a state was asked for. */
  readonly texts: {
    /** 0x text. */
    unknownHash(hash: string): string;
    /** 0x text. */
    unknownArchive(root: string): string;
    /** Beyond the tip. */
    ahead(block: number, tip: number): string;
    /** The state is not kept any more; `oldest` is the first that is. */
    pruned(block: number, oldest: number): string;
  };
}
