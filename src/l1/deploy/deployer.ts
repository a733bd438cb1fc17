import { type HDAccount, mnemonicToAccount, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { DeploymentParameterError } from "./errors.ts";

/** The L1 account that deploys. It does not expose its key. */
export interface Deployer {
  /** Lower-case 0x. */
  readonly address: string;
  /** Serialized EIP-1559 transaction, 0x text. */
  sign(transaction: DeployerTransaction): Promise<string>;
}

/** Amounts in wei. */
interface DeployerTransaction {
  chainId: number;
  nonce: number;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  /** Undefined: creates a contract. */
  to: string | undefined;
  /** 0x text. */
  data: string;
  value: bigint;
}

type Hex = `0x${string}`;

function deployerOf(account: HDAccount | PrivateKeyAccount): Deployer {
  return {
    address: account.address.toLowerCase(),
    sign: ({ to, data, ...rest }) =>
      account.signTransaction({ type: "eip1559", ...rest, to: to as Hex | undefined, data: data as Hex }),
  };
}

/**
 * From a private key of 64 hex digits, with or without 0x. Throws DeploymentParameterError, which does not repeat the
 * key.
 */
export function deployerFromKey(privateKey: string): Deployer {
  const digits = privateKey.replace(/^0x/, "");
  const rule = "must be 64 hex digits of a number from 1 to the order of secp256k1 less 1";
  if (!/^[0-9a-fA-F]{64}$/.test(digits)) throw new DeploymentParameterError("privateKey", rule);
  try {
    return deployerOf(privateKeyToAccount(`0x${digits}`));
  } catch {
    throw new DeploymentParameterError("privateKey", rule);
  }
}

/** The account at m/44'/60'/0'/0/index. Throws DeploymentParameterError, which does not repeat the words. */
export function deployerFromMnemonic(mnemonic: string, index: number): Deployer {
  if (!Number.isSafeInteger(index) || index < 0 || index >= 2 ** 31)
    throw new DeploymentParameterError("mnemonicIndex", "must be a whole number from 0 to 2147483647");
  try {
    return deployerOf(mnemonicToAccount(mnemonic.trim().replace(/\s+/g, " "), { addressIndex: index }));
  } catch {
    throw new DeploymentParameterError(
      "mnemonic",
      "must be 12 to 24 words of the English BIP-39 list with their checksum",
    );
  }
}
