import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { Account } from "../../keystore/accounts.ts";
import type { Keystore } from "../../keystore/keystore.ts";
import { LocalSigner } from "../../l1/tx/local-signer.ts";
import { RemoteSigner } from "../../l1/tx/remote-signer.ts";
import type { L1Signer } from "../../l1/tx/signer.ts";
import type { VoteSigner } from "../../sequencer/votes/governance-signals.ts";
import { DutySigner } from "../../validator/duty-signer.ts";
import type { SigningGuard } from "../../validator/signing/signing-guard.ts";

/** The signer of an account: with its key, or through its remote signer, whose health is in `endpoints`. */
export function accountSigner(account: Account, endpoints?: EndpointBook): L1Signer {
  return account.kind === "local"
    ? new LocalSigner(account.key.reveal())
    : new RemoteSigner(account.signer.url, account.address, endpoints);
}

/** The node's way to signatures of its attesters. */
export interface AttesterSigning {
  /** Signer of an attester (lower-case 0x text), past the guard: for what is no duty. */
  signerOf(attester: string): L1Signer | undefined;
  readonly duties: DutySigner;
}

/** `keys` returns those in force; undefined for a node without keys. */
export function attesterSigning(
  keys: (() => Keystore) | undefined,
  guard: SigningGuard | undefined,
  endpoints?: EndpointBook,
): AttesterSigning {
  const signerOf = keySigners(keys, endpoints);
  return { signerOf, duties: new DutySigner({ guard, signerOf }) };
}

/** Signs votes like any other duty. */
export function voteSigner({ signerOf, duties }: AttesterSigning): VoteSigner {
  return {
    holds: (attester) => signerOf(attester) !== undefined,
    sign: (...vote) => duties.signTyped(...vote),
  };
}

/** Signers of the keys in force. Each is made once, because that takes a multiplication on the curve. */
function keySigners(
  keys: (() => Keystore) | undefined,
  endpoints: EndpointBook | undefined,
): (attester: string) => L1Signer | undefined {
  const made = new WeakMap<Account, L1Signer>();
  return (attester) => {
    const account = keys?.().attester(attester);
    if (account === undefined) return undefined;
    const signer = made.get(account) ?? accountSigner(account, endpoints);
    made.set(account, signer);
    return signer;
  };
}
