import type { EndpointBook } from "../../endpoints/endpoint-book.ts";
import type { Account } from "../../keystore/accounts.ts";
import { LocalSigner } from "../../l1/tx/local-signer.ts";
import { RemoteSigner } from "../../l1/tx/remote-signer.ts";
import type { L1Signer } from "../../l1/tx/signer.ts";

/** The signer of an account: with its key, or through its remote signer, whose health is in `endpoints`. */
export function accountSigner(account: Account, endpoints?: EndpointBook): L1Signer {
  return account.kind === "local"
    ? new LocalSigner(account.key.reveal())
    : new RemoteSigner(account.signer.url, account.address, endpoints);
}
