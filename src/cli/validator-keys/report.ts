import type { Account } from "../../keystore/accounts.ts";
import type { Keystore } from "../../keystore/keystore.ts";
import { resolveBlsKey } from "../../keystore/resolve-bls.ts";
import { checksumAddress } from "../../protocol/l1-address-text.ts";
import type { ValidatorSummary } from "./new-entries.ts";

/** How an account signs: with a key of the keystore, or through the remote signer at a host. */
export interface SigningAccount {
  address: string;
  signer: string;
}

export interface ValidatorFacts {
  attester: SigningAccount;
  /** Compressed public key; null if the keystore has none. */
  bls: string | null;
  publishers: SigningAccount[];
  coinbase: string;
  feeRecipient: string;
}

export function signingAccount(account: Account): SigningAccount {
  const signer =
    account.kind === "local" ? "key of this keystore" : `remote signer ${new URL(account.signer.url).host}`;
  return { address: checksumAddress(account.address), signer };
}

/** The validators of a keystore in its order. Throws a KeystoreError if a BLS key cannot be read. */
export async function validatorFacts(keystore: Keystore): Promise<ValidatorFacts[]> {
  const facts: ValidatorFacts[] = [];
  for (const { attesters } of keystore.validators) {
    for (const attester of attesters) {
      const { address } = attester;
      const bls = keystore.blsKeyOf(address);
      facts.push({
        attester: signingAccount(attester),
        bls: bls === undefined ? null : (await resolveBlsKey(bls)).publicKey,
        publishers: keystore.publishersOf(address).map(signingAccount),
        coinbase: checksumAddress(keystore.coinbaseOf(address) as string),
        feeRecipient: keystore.feeRecipientOf(address) as string,
      });
    }
  }
  return facts;
}

const shown = ({ address, signer }: SigningAccount): string => `${address}  ${signer}`;

export function validatorLines(facts: readonly ValidatorFacts[]): string {
  return facts
    .flatMap(({ attester, bls, publishers, coinbase, feeRecipient }, i) => [
      `validator ${i + 1}`,
      `  attester       ${shown(attester)}`,
      `  BLS key        ${bls ?? "none"}`,
      ...publishers.map((publisher) => `  publisher      ${shown(publisher)}`),
      `  coinbase       ${coinbase}`,
      `  fee recipient  ${feeRecipient}`,
    ])
    .map((line) => `${line}\n`)
    .join("");
}

/** The public part of new validators. */
export function summaryLines(summaries: readonly ValidatorSummary[]): string {
  return summaries
    .flatMap(({ attester, bls, publishers }, i) => [
      `validator ${i + 1}`,
      `  attester   ${attester}`,
      ...(bls === undefined ? [] : [`  BLS key    ${bls}`]),
      ...publishers.map((address) => `  publisher  ${address}`),
    ])
    .map((line) => `${line}\n`)
    .join("");
}
