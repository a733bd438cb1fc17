import { coinIssuerAbi, relayerAbi, stakingAssetHandlerAbi } from "../abi/registry.ts";
import type { L1ContractAddresses } from "../contract-addresses.ts";
import { read } from "../contracts/contract.ts";
import { ContractAnswerError, ContractMissingError, ContractRevertError } from "../errors.ts";
import type { L1Rpc } from "../rpc/l1-rpc.ts";

/** Contracts whose addresses cannot be read from the rollup's contracts, so they come from the configuration. */
export type ConfiguredAddresses = Partial<
  Pick<
    L1ContractAddresses,
    | "slashFactoryAddress"
    | "feeAssetHandlerAddress"
    | "stakingAssetHandlerAddress"
    | "zkPassportVerifierAddress"
    | "dateGatedRelayerAddress"
  >
>;

/** The zero address means that the network does not have the contract. */
export function isZeroAddress(address: string | undefined): boolean {
  return address !== undefined && /^0x0{40}$/.test(address);
}

/** The value; undefined if there is no contract or a different one at the address. */
async function ifAnswered<T>(value: Promise<T>): Promise<T | undefined> {
  try {
    return await value;
  } catch (error) {
    const other =
      error instanceof ContractMissingError ||
      error instanceof ContractAnswerError ||
      error instanceof ContractRevertError;
    if (other) return undefined;
    throw error;
  }
}

/** The date-gated relayer, if it owns the coin issuer. Other owners do not have the function that is called. */
async function findRelayer(rpc: L1Rpc, coinIssuer: string): Promise<string | undefined> {
  const issuer = { name: "CoinIssuer", address: coinIssuer, abi: coinIssuerAbi };
  const owner = (await ifAnswered(read(rpc, issuer, "owner", [])))?.toLowerCase();
  if (owner === undefined) return undefined;
  const relayer = { name: "DateGatedRelayer", address: owner, abi: relayerAbi };
  return (await ifAnswered(read(rpc, relayer, "GATED_UNTIL", []))) === undefined ? undefined : owner;
}

/**
 * Addresses of contracts that a network may not have (docs/protocol/04-l1-contracts.md#41-discovery), lower-case. They
 * come from the configuration, except two that can be read: the relayer, as owner of the coin issuer, and the passport
 * verifier, from a configured staking asset handler.
 */
export async function optionalAddresses(
  rpc: L1Rpc,
  coinIssuer: string,
  given: ConfiguredAddresses,
): Promise<ConfiguredAddresses> {
  const configured: ConfiguredAddresses = Object.fromEntries(
    Object.entries(given).filter(([, address]) => !isZeroAddress(address)),
  );
  const { slashFactoryAddress, feeAssetHandlerAddress, stakingAssetHandlerAddress } = configured;
  const handler = stakingAssetHandlerAddress?.toLowerCase();
  const named = async () =>
    handler &&
    (await ifAnswered(
      read(
        rpc,
        { name: "StakingAssetHandler", address: handler, abi: stakingAssetHandlerAbi },
        "zkPassportVerifier",
        [],
      ),
    ));
  const [relayer, verifier] = await Promise.all([
    configured.dateGatedRelayerAddress ?? findRelayer(rpc, coinIssuer),
    configured.zkPassportVerifierAddress ?? named(),
  ]);
  const found = {
    slashFactoryAddress,
    feeAssetHandlerAddress,
    stakingAssetHandlerAddress: handler,
    zkPassportVerifierAddress: verifier,
    dateGatedRelayerAddress: relayer,
  };
  const known = Object.entries(found).filter((entry): entry is [string, string] => Boolean(entry[1]));
  return Object.fromEntries(known.map(([name, address]) => [name, address.toLowerCase()]));
}
