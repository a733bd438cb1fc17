import type { WireSignature } from "../../../protocol/consensus/wire-signature.ts";
import { authPayloadHash, decodeAuthRequest, encodeAuthResponse } from "../codecs/auth-message.ts";
import type { StatusMessage } from "../codecs/status-message.ts";
import { NO_BODY, type RequestHandler, success } from "../request-handler.ts";

/** Proves to chosen peers that this node has an attester's key. */
interface AuthSigner {
  /** Whether a peer is protected by this node; others learn no validator's address. */
  mayAsk(peer: string): boolean;
  /** Signs the hash in the form of EIP-191 with the first registered attester; undefined if there is none. */
  sign(payloadHash: Uint8Array): Promise<WireSignature | undefined>;
}

/** Signs challenges of protected peers; the others get an answer without a body. */
export function authHandler(signer: AuthSigner, status: () => StatusMessage): RequestHandler {
  return async ({ bytes, peer }) => {
    const { challenge } = decodeAuthRequest(bytes);
    const signature = signer.mayAsk(peer) ? await signer.sign(authPayloadHash(challenge)) : undefined;
    return success(signature === undefined ? NO_BODY : encodeAuthResponse({ status: status(), signature }));
  };
}
