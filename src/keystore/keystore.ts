import { type Account, resolveAccount, resolveAccounts } from "./accounts.ts";
import { KeystoreError, type KeystoreIssue } from "./errors.ts";
import type { AttesterSpec, BlsSpec, Place, RemoteSigner, ValidatorSpec } from "./file-types.ts";
import type { MergedKeystore } from "./merge-files.ts";

/** One entry of the keystore: attesters that share publishers, coinbase and fee recipient. */
export interface ValidatorKeys {
  readonly attesters: readonly Account[];
  /** BLS keys by attester. */
  readonly blsKeys?: ReadonlyMap<string, BlsSpec>;
  /** Accounts that send its L1 transactions; undefined: the attesters do. */
  readonly publishers: readonly Account[] | undefined;
  /** 0x text; undefined: each attester's own address. */
  readonly coinbase: string | undefined;
  /** 0x text of 32 bytes. */
  readonly feeRecipient: string;
}

interface ProverKeys {
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

  blsKeyOf(attester: string): BlsSpec | undefined {
    return this.#byAttester.get(attester)?.keys.blsKeys?.get(attester);
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
    return found === undefined ? [] : (found.keys.publishers ?? found.keys.attesters);
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
 * the files'. Throws a KeystoreError that names the issues of all entries.
 */
export async function resolveKeystore(merged: MergedKeystore): Promise<Keystore> {
  const issues: KeystoreIssue[] = [];
  const collecting = async <T>(work: Promise<T>): Promise<T | undefined> => {
    try {
      return await work;
    } catch (error) {
      if (!(error instanceof KeystoreError)) throw error;
      issues.push(...error.issues);
      return undefined;
    }
  };
  const validators: ValidatorKeys[] = [];
  const seen = new Map<string, Place>();
  for (const spec of merged.validators) {
    const keys = await collecting(resolveValidator(spec, merged));
    if (keys === undefined) continue;
    for (const { address } of keys.attesters) {
      const first = seen.get(address);
      if (first === undefined) seen.set(address, spec.at);
      else issues.push({ ...spec.at, rule: `has attester ${address}, as ${first.file} ${first.field} has` });
    }
    validators.push(keys);
  }
  const prover = await collecting(resolveProver(merged));
  const slasher: Account[] = [];
  for (const spec of merged.slasher) {
    slasher.push(...((await collecting(resolveAccounts(spec, merged.remoteSigner))) ?? []));
  }
  if (issues.length > 0) throw new KeystoreError(issues);
  return new Keystore({ validators, prover, slasher });
}

/** The publishers of a validator: its own, or else those of the files; undefined if neither names any. */
async function resolvePublishers(
  { publisher }: ValidatorSpec,
  merged: MergedKeystore,
  signer: RemoteSigner | undefined,
): Promise<Account[] | undefined> {
  const specs = publisher === undefined ? merged.publisher : [publisher];
  const accounts: Account[] = [];
  for (const spec of specs) accounts.push(...(await resolveAccounts(spec, signer)));
  return accounts.length === 0 ? undefined : accounts;
}

async function resolveValidator(spec: ValidatorSpec, merged: MergedKeystore): Promise<ValidatorKeys> {
  const signer = spec.remoteSigner ?? merged.remoteSigner;
  const feeRecipient = spec.feeRecipient ?? merged.feeRecipient;
  if (feeRecipient === undefined) throw new KeystoreError([{ ...spec.at, rule: "has no feeRecipient" }]);
  return {
    ...(await resolveAttesters(spec.attester, signer)),
    publishers: await resolvePublishers(spec, merged, signer),
    coinbase: spec.coinbase ?? merged.coinbase,
    feeRecipient,
  };
}

async function resolveAttesters(
  spec: AttesterSpec,
  signer: RemoteSigner | undefined,
): Promise<Pick<ValidatorKeys, "attesters" | "blsKeys">> {
  if (spec.kind === "mnemonic") return { attesters: await resolveAccounts(spec, signer) };
  const attesters: Account[] = [];
  const blsKeys = new Map<string, BlsSpec>();
  for (const { eth, bls } of spec.attesters) {
    const accounts = await resolveAccount(eth, signer);
    attesters.push(...accounts);
    if (bls === undefined) continue;
    if (accounts.length > 1) throw new KeystoreError([{ ...bls.at, rule: "is one key for several attesters" }]);
    blsKeys.set(accounts[0].address, bls);
  }
  return { attesters, blsKeys };
}

async function resolveProver({ prover, remoteSigner }: MergedKeystore): Promise<ProverKeys | undefined> {
  if (prover === undefined) return undefined;
  const publishers = await resolveAccounts(prover.publisher, remoteSigner);
  return { id: prover.id ?? publishers[0].address, publishers };
}
