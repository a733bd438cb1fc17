import { reveal } from "../../config/configuration.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { Account } from "../../keystore/accounts.ts";
import { KeystoreError } from "../../keystore/errors.ts";
import { Keystore } from "../../keystore/keystore.ts";
import { loadKeystore, requireKeystoreFiles } from "../../keystore/load-keystore.ts";
import { checkRemoteAccounts } from "../../keystore/remote-signer-check.ts";
import { fromHex } from "../../protocol/bytes.ts";
import { optionAccounts } from "./option-accounts.ts";

/** Accounts that submit proofs, and the address that earns the rewards. */
export interface ConfiguredProver {
  /** 20 bytes. */
  readonly id: Uint8Array;
  readonly publishers: readonly Account[];
}

function noPublishers(): KeystoreError {
  const rule = "must be set: a prover node submits proofs with the keys of its own publishers";
  return new KeystoreError([{ file: "options", field: "PROVER_PUBLISHER_PRIVATE_KEYS", rule }]);
}

/**
 * Keys of a prover node: those of the keystore's prover if there is one, otherwise those of single options. They stay
 * as they are at the start. Rejects with a KeystoreError.
 */
export async function configuredProver(
  values: PartValues["keys"],
  warn: (facts: object, message: string) => void,
): Promise<ConfiguredProver> {
  const { directory: path } = values;
  const keystore = path === undefined ? undefined : await loadKeystore({ path, warn });
  const stored = keystore?.prover;
  const publishers = stored?.publishers ?? (await publishersOfOptions(values));
  const [first] = publishers;
  if (first === undefined) {
    throw noPublishers();
  }
  const configured = values.prover.id !== undefined && !/^0x0*$/.test(values.prover.id) ? values.prover.id : undefined;
  // A keystore without an id gives the first publisher's address.
  const own = stored !== undefined && stored.id.toLowerCase() !== first.address ? stored.id : undefined;
  return { id: fromHex((own ?? configured ?? first.address).toLowerCase()), publishers };
}

/** Whether keys are given, as files or as options. Asks no remote signer. Throws a KeystoreError. */
export function requireProverKeys(values: PartValues["keys"]): void {
  const { directory: keyStoreDirectory } = values;
  const { privateKeys: proverPublisherPrivateKeys, addresses: proverPublisherAddresses } = values.prover;
  if (keyStoreDirectory !== undefined) requireKeystoreFiles(keyStoreDirectory);
  else if ((reveal(proverPublisherPrivateKeys) ?? []).length + proverPublisherAddresses.length === 0)
    throw noPublishers();
}

async function publishersOfOptions(values: PartValues["keys"]): Promise<readonly Account[]> {
  const { privateKeys: proverPublisherPrivateKeys, addresses: proverPublisherAddresses } = values.prover;
  const { web3SignerUrl } = values;
  const publishers = optionAccounts(reveal(proverPublisherPrivateKeys), proverPublisherAddresses, web3SignerUrl);
  await checkRemoteAccounts(new Keystore({ validators: [], prover: { id: "", publishers } }), {});
  return publishers;
}
