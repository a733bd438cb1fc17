import { coinIssuerAbi, relayerAbi, stakingAssetHandlerAbi } from "./abi/registry.ts";
import { read } from "./contracts/contract.ts";
import { ContractAnswerError, ContractMissingError, ContractRevertError } from "./errors.ts";
import type { L1Rpc } from "./rpc/l1-rpc.ts";
import type { L1ContractAddresses } from "./types.ts";

/** Contracts that no contract of the rollup names, so that configuration has to, where they are of interest. */
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

/** Networks write the zero address for a contract that they do not have. */
export function isZeroAddress(address: string | undefined): boolean {
  return address !== undefined && /^0x0{40}$/.test(address);
}

/** The value, or undefined where the address holds no contract or another one. */
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

/** The relayer owns the coin issuer, where there is one; other owners have no date that they wait for. */
async function findRelayer(rpc: L1Rpc, coinIssuer: string): Promise<string | undefined> {
  const issuer = { name: "CoinIssuer", address: coinIssuer, abi: coinIssuerAbi };
  const owner = (await ifAnswered(read(rpc, issuer, "owner", [])))?.toLowerCase();
  if (owner === undefined) return undefined;
  const relayer = { name: "DateGatedRelayer", address: owner, abi: relayerAbi };
  return (await ifAnswered(read(rpc, relayer, "GATED_UNTIL", []))) === undefined ? undefined : owner;
}

/**
 * The addresses that a network may or may not have (sheet 04 section 1.1): those that are configured, and of the others the relayer, which
 * owns the coin issuer, and the passport verifier, which a configured staking asset handler names. Lower-case.
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
