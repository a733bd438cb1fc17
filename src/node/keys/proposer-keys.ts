import { reveal } from "../../config/configuration.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { Account } from "../../keystore/accounts.ts";
import { ActiveKeystore } from "../../keystore/active-keystore.ts";
import { KeystoreError } from "../../keystore/errors.ts";
import { Keystore } from "../../keystore/keystore.ts";
import { loadKeystore, requireKeystoreFiles } from "../../keystore/load-keystore.ts";
import { checkRemoteAccounts } from "../../keystore/remote-signer-check.ts";
import { toHex } from "../../protocol/bytes.ts";
import { optionAccounts } from "./option-accounts.ts";

/** Default fee recipient: the zero L2 address. */
const ZERO_L2_ADDRESS = toHex(new Uint8Array(32));

/**
 * Keys of a proposing node (docs/protocol/08-building-and-checkpoints.md#826-keys): from keystore files if configured,
 * otherwise from single options. Publishers without attesters can propose on networks where anyone may. Rejects with a
 * KeystoreError.
 */
export async function configuredKeys(
  values: PartValues["keys"],
  warn: (facts: object, message: string) => void,
): Promise<ActiveKeystore> {
  const { directory: path } = values;
  const load = () => (path === undefined ? keysOfOptions(values) : loadKeystore({ path, warn }));
  const initial = await load();
  if (path !== undefined) {
    if (initial.validators.length === 0) {
      throw new KeystoreError([{ file: path, field: "validators", rule: "must not be empty: a sequencer needs them" }]);
    }
    warnOfUnused(values, warn);
  }
  return new ActiveKeystore(initial, load, initial.publisherAddresses(), (error) => {
    warn({ err: error }, "a listener of the keystore failed");
  });
}

/** Names options that a keystore takes the place of. */
function warnOfUnused(values: PartValues["keys"], warn: (facts: object, message: string) => void): void {
  const given = {
    VALIDATOR_PRIVATE_KEYS: (reveal(values.attesters.privateKeys) ?? []).length > 0,
    VALIDATOR_ADDRESSES: values.attesters.addresses.length > 0,
    SEQ_PUBLISHER_PRIVATE_KEYS: (reveal(values.publishers.privateKeys) ?? []).length > 0,
    SEQ_PUBLISHER_ADDRESSES: values.publishers.addresses.length > 0,
    COINBASE: values.coinbase !== undefined,
    FEE_RECIPIENT: values.feeRecipient !== undefined,
  };
  const unused = Object.entries(given).flatMap(([name, isGiven]) => (isGiven ? [name] : []));
  if (unused.length > 0) warn({ unused: unused.join(" ") }, "these options are not used: KEY_STORE_DIRECTORY is given");
}

/** The accounts of single options. Throws a KeystoreError where there are none. */
function accountsOfOptions(values: PartValues["keys"]): { proposers: [Account, ...Account[]]; publishers: Account[] } {
  const accounts = (keys: readonly string[] | undefined, addresses: readonly string[]): Account[] =>
    optionAccounts(keys, addresses, values.web3SignerUrl);
  const attesters = accounts(reveal(values.attesters.privateKeys), values.attesters.addresses);
  const publishers = accounts(reveal(values.publishers.privateKeys), values.publishers.addresses);
  const [first, ...others] = attesters.length > 0 ? attesters : publishers.slice(0, 1);
  if (first === undefined) {
    const rule = "must be set: a sequencer needs the keys of validators or publishers";
    throw new KeystoreError([{ file: "options", field: "KEY_STORE_DIRECTORY or VALIDATOR_PRIVATE_KEYS", rule }]);
  }
  return { proposers: [first, ...others], publishers };
}

/** Whether keys are given, as files or as options. Asks no remote signer. Throws a KeystoreError. */
export function requireProposerKeys(values: PartValues["keys"]): void {
  if (values.directory === undefined) accountsOfOptions(values);
  else requireKeystoreFiles(values.directory);
}

async function keysOfOptions(values: PartValues["keys"]): Promise<Keystore> {
  const { proposers, publishers } = accountsOfOptions(values);
  const [first] = proposers;
  const { feeRecipient } = values;
  const keystore = new Keystore({
    validators: [
      {
        attesters: proposers,
        publishers: publishers.length > 0 ? publishers : [first],
        coinbase: values.coinbase?.toLowerCase() ?? first.address,
        feeRecipient: feeRecipient === undefined ? ZERO_L2_ADDRESS : toHex(feeRecipient),
      },
    ],
  });
  await checkRemoteAccounts(keystore, {});
  return keystore;
}
