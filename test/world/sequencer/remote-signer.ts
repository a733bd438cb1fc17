import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { LocalSigner } from "../../../src/l1/tx/local-signer.ts";
import { type UnsignedTx, withSignature } from "../../../src/l1/tx/transaction.ts";
import { zeroBlobSidecars } from "../../../src/l1/tx/zero-blob.ts";
import { fromHex, toHex } from "../../../src/protocol/bytes.ts";

export interface RemoteSignerServer {
  url: string;
  /** Requested methods, in order. */
  asked: string[];
  stop(): Promise<void>;
}

/**
 * The transaction of an eth_signTransaction request. Blobs are not needed: the signature covers their versioned hashes.
 */
function transactionOf(object: Record<string, string> & { blobVersionedHashes?: string[] }): UnsignedTx {
  const { blobVersionedHashes, maxFeePerBlobGas } = object;
  return {
    chainId: Number(object.chainId),
    nonce: Number(object.nonce),
    gas: BigInt(object.gas),
    to: object.to,
    value: BigInt(object.value),
    data: fromHex(object.data),
    fees: {
      maxFeePerGas: BigInt(object.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(object.maxPriorityFeePerGas),
      ...(maxFeePerBlobGas === undefined ? {} : { maxFeePerBlobGas: BigInt(maxFeePerBlobGas) }),
    },
    sidecars: blobVersionedHashes && { ...zeroBlobSidecars(false), versionedHashes: blobVersionedHashes.map(fromHex) },
  };
}

/**
 * A signer that holds one key, as web3signer answers (docs/protocol/08-building-and-checkpoints.md#827-remote-signers).
 */
export async function startRemoteSigner(key: Uint8Array): Promise<RemoteSignerServer> {
  const signer = new LocalSigner(key);
  const asked: string[] = [];
  const answer = async (method: string, params: unknown[]): Promise<unknown> => {
    asked.push(method);
    if (method === "eth_accounts") return [signer.address];
    if (method === "eth_sign") return toHex(await signer.signMessage(fromHex(params[1] as string)));
    if (method === "eth_signTypedData") return toHex(await signer.signTypedData(JSON.parse(params[1] as string)));
    const tx = transactionOf(params[0] as Record<string, string>);
    return toHex(withSignature(tx, await signer.signTransaction(tx)).raw);
  };
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const { id, method, params } = JSON.parse(Buffer.concat(parts).toString("utf8"));
    response.end(JSON.stringify({ jsonrpc: "2.0", id, result: await answer(method, params) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
