import { HDKey } from "@scure/bip32";
import { generateMnemonic, mnemonicToSeed, validateMnemonic } from "@scure/bip39";
import { wordlist } from "@scure/bip39/wordlists/english";
import { PrivateKey, SecretText } from "./private-key.ts";

/** Whether it is an English BIP-39 mnemonic with a valid checksum. */
export function isMnemonic(text: string): boolean {
  return validateMnemonic(text, wordlist);
}

/** A new mnemonic of 12 words. */
export function newMnemonic(): SecretText {
  return new SecretText(generateMnemonic(wordlist));
}

/** Derives L1 keys at m/44'/60'/account'/0/address (docs/protocol/08-building-and-checkpoints.md#826-keys). */
export async function l1KeysOf(
  mnemonic: SecretText,
  passphrase = "",
): Promise<(account: number, address: number) => PrivateKey> {
  const root = HDKey.fromMasterSeed(await mnemonicToSeed(mnemonic.reveal(), passphrase));
  const chains = new Map<number, HDKey>();
  return (account, address) => {
    const chain = chains.get(account) ?? root.derive(`m/44'/60'/${account}'/0`);
    chains.set(account, chain);
    return new PrivateKey(chain.deriveChild(address).privateKey as Uint8Array);
  };
}
