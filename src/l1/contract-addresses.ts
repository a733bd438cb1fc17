/** A rollup's contracts on L1, in the order of the reference's answers; true for those that every rollup has. */
const CONTRACTS = {
  registryAddress: true,
  slashFactoryAddress: false,
  feeAssetHandlerAddress: false,
  rollupAddress: true,
  inboxAddress: true,
  outboxAddress: true,
  feeJuiceAddress: true,
  stakingAssetAddress: true,
  feeJuicePortalAddress: true,
  coinIssuerAddress: true,
  rewardDistributorAddress: true,
  governanceProposerAddress: true,
  governanceAddress: true,
  stakingAssetHandlerAddress: false,
  zkPassportVerifierAddress: false,
  gseAddress: false,
  dateGatedRelayerAddress: false,
} as const;

export type L1ContractName = keyof typeof CONTRACTS;
type EveryRollupsName = { [K in L1ContractName]: (typeof CONTRACTS)[K] extends true ? K : never }[L1ContractName];

/** Lower-case 0x addresses, named as in the RPC result (docs/protocol/05-rpc.md#529-node-information). */
export type L1ContractAddresses = { [K in EveryRollupsName]: string } & {
  [K in Exclude<L1ContractName, EveryRollupsName>]?: string;
};

export const L1_CONTRACT_NAMES = Object.keys(CONTRACTS) as L1ContractName[];

/** Whether every rollup has the contract; only some networks have the others. */
export function isEveryRollups(name: L1ContractName): boolean {
  return CONTRACTS[name];
}

/** "feeJuicePortalAddress" becomes "fee juice portal". */
export function contractWords(name: string): string {
  return name.replace(/Address$/, "").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}
