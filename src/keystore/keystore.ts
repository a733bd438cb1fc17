import { type Account, resolveAccount, resolveAccounts } from "./accounts.ts";
import { KeystoreError, type KeystoreIssue } from "./errors.ts";
import type { AttesterSpec, Place, RemoteSigner, ValidatorSpec } from "./file-types.ts";
import type { MergedKeystore } from "./merge-files.ts";

/** One entry of the keystore: attesters that share publishers, coinbase and fee recipient. */
export interface ValidatorKeys {
  readonly attesters: readonly Account[];
  /** Accounts that send its L1 transactions; undefined: each attester sends its own. */
  readonly publishers: readonly Account[] | undefined;
  /** 0x text; undefined: each attester's own address. */
  readonly coinbase: string | undefined;
  /** 0x text of 32 bytes. */
  readonly feeRecipient: string;
}

export interface ProverKeys {
  /** 0x text. */
  readonly id: string;
  readonly publishers: readonly Account[];
}

/** The resolved accounts of all keystore files. */
export class Keystore {
  readonly validators: readonly ValidatorKeys[];
  readonly prover: ProverKeys | undefined;
  /** Reserved by the file format. */
  readonly slasher: readonly Account[];
  readonly #byAttester = new Map<string, { keys: ValidatorKeys; attester: Account }>();

  constructor(contents: { validators: ValidatorKeys[]; prover?: ProverKeys; slasher?: Account[] }) {
    this.validators = contents.validators;
    this.prover = contents.prover;
    this.slasher = contents.slasher ?? [];
    for (const keys of this.validators) {
      for (const attester of keys.attesters) this.#byAttester.set(attester.address, { keys, attester });
    }
  }

  /** Lower-case 0x text, in the order of the files. */
  attesterAddresses(): string[] {
    return [...this.#byAttester.keys()];
  }

  attester(address: string): Account | undefined {
    return this.#byAttester.get(address)?.attester;
  }

  coinbaseOf(attester: string): string | undefined {
    const found = this.#byAttester.get(attester);
    return found && (found.keys.coinbase ?? attester);
  }

  feeRecipientOf(attester: string): string | undefined {
    return this.#byAttester.get(attester)?.keys.feeRecipient;
  }

  publishersOf(attester: string): readonly Account[] {
    const found = this.#byAttester.get(attester);
    return found === undefined ? [] : (found.keys.publishers ?? [found.attester]);
  }

  /** Every account that sends L1 transactions for a validator, without duplicates. */
  publisherAddresses(): string[] {
    return [...new Set(this.attesterAddresses().flatMap((a) => this.publishersOf(a).map(({ address }) => address)))];
  }

  /** Every account that signs through a remote signer. */
  remoteAccounts(): Extract<Account, { kind: "remote" }>[] {
    const all = [
      ...this.validators.flatMap(({ attesters, publishers = [] }) => [...attesters, ...publishers]),
      ...(this.prover?.publishers ?? []),
      ...this.slasher,
    ];
    return all.filter((account) => account.kind === "remote");
  }
}

/**
 * Resolves the accounts of merged files. The remote signer of an account is its own, or else its validator's, or else
 * the files'. Throws KeystoreError.
 */
export async function resolveKeystore(merged: MergedKeystore): Promise<Keystore> {
  const validators: ValidatorKeys[] = [];
  const issues: KeystoreIssue[] = [];
  const seen = new Map<string, Place>();
  const shared = await resolvePublishers(merged);
  for (const spec of merged.validators) {
    const keys = await resolveValidator(spec, merged, shared);
    for (const { address } of keys.attesters) {
      const first = seen.get(address);
      if (first === undefined) seen.set(address, spec.at);
      else issues.push({ ...spec.at, rule: `has attester ${address}, as ${first.file} ${first.field} has` });
    }
    validators.push(keys);
  }
  if (issues.length > 0) throw new KeystoreError(issues);
  const slasher: Account[] = [];
  for (const spec of merged.slasher) slasher.push(...(await resolveAccounts(spec, merged.remoteSigner)));
  return new Keystore({ validators, prover: await resolveProver(merged), slasher });
}

async function resolvePublishers({ publisher, remoteSigner }: MergedKeystore): Promise<Account[] | undefined> {
  const accounts: Account[] = [];
  for (const spec of publisher) accounts.push(...(await resolveAccounts(spec, remoteSigner)));
  return accounts.length === 0 ? undefined : accounts;
}

async function resolveValidator(
  spec: ValidatorSpec,
  merged: MergedKeystore,
  shared: Account[] | undefined,
): Promise<ValidatorKeys> {
  const signer = spec.remoteSigner ?? merged.remoteSigner;
  const feeRecipient = spec.feeRecipient ?? merged.feeRecipient;
  if (feeRecipient === undefined) throw new KeystoreError([{ ...spec.at, rule: "has no feeRecipient" }]);
  return {
    attesters: await resolveAttesters(spec.attester, signer),
    publishers: spec.publisher === undefined ? shared : await resolveAccounts(spec.publisher, signer),
    coinbase: spec.coinbase ?? merged.coinbase,
    feeRecipient,
  };
}

async function resolveAttesters(spec: AttesterSpec, signer: RemoteSigner | undefined): Promise<Account[]> {
  if (spec.kind === "mnemonic") return resolveAccounts(spec, signer);
  const accounts: Account[] = [];
  for (const { eth } of spec.attesters) accounts.push(...(await resolveAccount(eth, signer)));
  return accounts;
}

async function resolveProver({ prover, remoteSigner }: MergedKeystore): Promise<ProverKeys | undefined> {
  if (prover === undefined) return undefined;
  const publishers = await resolveAccounts(prover.publisher, remoteSigner);
  return { id: prover.id ?? publishers[0].address, publishers };
}
