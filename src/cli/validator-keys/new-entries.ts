import { type BlsKey, blsKeyOfMaterial, blsKeyOfMnemonic, blsPath } from "../../keystore/bls-key.ts";
import { l1KeysOf } from "../../keystore/derived-keys.ts";
import type { PrivateKey, SecretText } from "../../keystore/private-key.ts";
import { toHex } from "../../protocol/bytes.ts";
import { checksumAddress } from "../../protocol/l1-address-text.ts";

export interface NewKeys {
  mnemonic: SecretText;
  passphrase: SecretText | undefined;
  /** Keying material of the BLS keys; undefined: the mnemonic. */
  material: Uint8Array | undefined;
  count: number;
  accountIndex: number;
  /** Address index of the first validator. */
  addressIndex: number;
  /** Path of the only validator's BLS key; undefined: that of its indexes. */
  blsPath: string | undefined;
  /** Publishers to derive for each validator. */
  publisherCount: number;
  /** Publishers of every validator, instead of derived ones. */
  publishers: readonly PrivateKey[];
  /** Lower-case 0x text; undefined: each attester's own address. */
  coinbase: string | undefined;
  /** 0x text. */
  feeRecipient: string;
  /** URL of the remote signer that holds the derived L1 keys, which then are not written. */
  remoteSigner: string | undefined;
}

/** An account in a keystore file: a private key, or a reference to a remote signer or to an encrypted file. */
type AccountEntry = string | { address: string; remoteSignerUrl: string } | { path: string; password: string };

/** A validator in a keystore file. Holds secrets. */
interface ValidatorEntry {
  attester: { eth: AccountEntry; bls: string | { path: string; password: string } } | AccountEntry;
  publisher?: AccountEntry | AccountEntry[];
  feeRecipient: string;
  coinbase: string;
}

/** The public part of a validator. */
export interface ValidatorSummary {
  attester: string;
  bls: string | undefined;
  publishers: string[];
}

export interface NewValidator {
  entry: ValidatorEntry;
  summary: ValidatorSummary;
}

/**
 * Derives validators. Attesters take the addresses from `addressIndex` on, their publishers those that follow the last
 * attester.
 */
export async function newValidators(keys: NewKeys): Promise<NewValidator[]> {
  const keyAt = await l1KeysOf(keys.mnemonic, keys.passphrase?.reveal());
  const firstPublisher = keys.addressIndex + keys.count;
  return Promise.all(
    Array.from({ length: keys.count }, async (_, i) => {
      const addressIndex = keys.addressIndex + i;
      const attester = keyAt(keys.accountIndex, addressIndex);
      const bls = await blsKey(keys, addressIndex);
      const derived = Array.from({ length: keys.publisherCount }, (_, j) =>
        keyAt(keys.accountIndex, firstPublisher + i * keys.publisherCount + j),
      );
      const publishers = [
        ...keys.publishers.map((key) => ({ key, entry: toHex(key.reveal()) })),
        ...derived.map((key) => ({ key, entry: account(key, keys.remoteSigner) })),
      ];
      return validator(keys, { entry: account(attester, keys.remoteSigner), key: attester }, bls, publishers);
    }),
  );
}

function blsKey({ mnemonic, passphrase, material, ...keys }: NewKeys, addressIndex: number): Promise<BlsKey> | BlsKey {
  const path = keys.blsPath ?? blsPath(keys.accountIndex, addressIndex);
  if (material !== undefined) return blsKeyOfMaterial(material, path);
  return blsKeyOfMnemonic(mnemonic.reveal(), passphrase?.reveal() ?? "", path);
}

function account(key: PrivateKey, remoteSigner: string | undefined): AccountEntry {
  if (remoteSigner === undefined) return toHex(key.reveal());
  return { address: checksumAddress(key.address), remoteSignerUrl: remoteSigner };
}

interface KeyedAccount {
  key: PrivateKey;
  entry: AccountEntry;
}

/** A validator from its accounts. One publisher is written without a list, as the reference does. */
export function validator(
  { coinbase, feeRecipient }: Pick<NewKeys, "coinbase" | "feeRecipient">,
  attester: KeyedAccount,
  bls: BlsKey | undefined,
  publishers: readonly KeyedAccount[],
): NewValidator {
  const { entry: eth, key } = attester;
  const entries = publishers.map(({ entry }) => entry);
  return {
    entry: {
      attester: bls === undefined ? eth : { eth, bls: bls.revealText() },
      ...(entries.length > 0 ? { publisher: entries.length === 1 ? entries[0] : entries } : {}),
      feeRecipient,
      coinbase: checksumAddress(coinbase ?? key.address),
    },
    summary: {
      attester: checksumAddress(key.address),
      bls: bls?.publicKey,
      publishers: publishers.map(({ key: { address } }) => checksumAddress(address)),
    },
  };
}
