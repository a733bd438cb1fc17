import { HDKey } from "@scure/bip32";
import { mnemonicToSeedSync } from "@scure/bip39";
import { deployerFromMnemonic } from "../l1/deploy/deployer.ts";
import { toHex } from "../protocol/bytes.ts";

export interface L1Key {
  /** 0x text. */
  privateKey: string;
  /** Lower-case 0x text. */
  address: string;
}

/** Private key at m/44'/60'/0'/0/index of a mnemonic, the derivation path of development chains. */
export function l1PrivateKey(mnemonic: string, index: number): L1Key {
  const { address } = deployerFromMnemonic(mnemonic, index);
  const seed = mnemonicToSeedSync(mnemonic.trim().replace(/\s+/g, " "));
  const { privateKey } = HDKey.fromMasterSeed(seed).derive(`m/44'/60'/0'/0/${index}`);
  if (privateKey === null) throw new RangeError("a derived account has a private key");
  return { privateKey: toHex(privateKey), address };
}
