import type { Account } from "../../keystore/accounts.ts";
import { KeystoreError } from "../../keystore/errors.ts";
import { PrivateKey } from "../../keystore/private-key.ts";
import { fromHex } from "../../protocol/bytes.ts";

/**
 * Accounts given by options: private keys, then addresses that a remote signer signs for. Throws a KeystoreError for
 * an address without a signer's URL.
 */
export function optionAccounts(
  keys: readonly string[] | undefined,
  addresses: readonly string[],
  signer: string | undefined,
): Account[] {
  return [
    ...(keys ?? []).map((key): Account => {
      const secret = new PrivateKey(fromHex(key));
      return { kind: "local", address: secret.address, key: secret };
    }),
    ...addresses.map((address): Account => {
      if (signer === undefined) {
        throw new KeystoreError([{ file: "options", field: address, rule: "needs WEB3_SIGNER_URL: it is an address" }]);
      }
      return { kind: "remote", address: address.toLowerCase(), signer: { url: signer } };
    }),
  ];
}
