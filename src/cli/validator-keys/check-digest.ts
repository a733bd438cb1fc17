import { contractDigest } from "../../l1/deploy/contract-digest.ts";
import { type G1Coordinates, registrationDigest } from "../../l1/deploy/validator-keys.ts";
import { quantity } from "../../l1/rpc/answers.ts";
import { L1Rpc } from "../../l1/rpc/l1-rpc.ts";
import { silentLogger } from "../../telemetry/logger.ts";
import { KeyCommandError } from "./errors.ts";
import { l1AddressFlag } from "./key-flags.ts";

/** Flags of commands that write staker output. */
export interface StakerFlags {
  gseAddress?: string;
  l1RpcUrls?: string;
  l1ChainId?: string;
}

/**
 * What proofs of possession are checked against: the contract of stakes, if flags name it; undefined otherwise. Throws
 * KeyCommandError.
 */
export function digestCheck(flags: StakerFlags): ((keys: readonly G1Coordinates[]) => Promise<void>) | undefined {
  const { l1RpcUrls, l1ChainId } = flags;
  const gseAddress = l1AddressFlag("--gse-address", flags.gseAddress);
  if (gseAddress === undefined) return undefined;
  if (l1RpcUrls === undefined) throw new KeyCommandError("--gse-address", "needs --l1-rpc-urls, to ask the contract");
  if (l1ChainId !== undefined && !/^\d+$/.test(l1ChainId)) {
    throw new KeyCommandError("--l1-chain-id", "must be a whole number");
  }
  const rpc = new L1Rpc({
    urls: l1RpcUrls.split(",").map((url) => url.trim()),
    timeoutMs: 10_000,
    retryDelaysMs: [500],
    logger: silentLogger,
  });
  return async (keys) => {
    const parse = (answer: unknown) => quantity(answer, "chain id");
    const chainId = await rpc.request({ method: "eth_chainId", params: [], parse });
    if (l1ChainId !== undefined && BigInt(chainId) !== BigInt(l1ChainId)) {
      throw new KeyCommandError(
        "--l1-chain-id",
        `is ${l1ChainId}, but the L1 at --l1-rpc-urls has chain id ${chainId}`,
      );
    }
    for (const key of keys) {
      const [ours, contracts] = [registrationDigest(key), await contractDigest(rpc, gseAddress, key)];
      if (ours.x === contracts.x && ours.y === contracts.y) continue;
      throw new KeyCommandError("--gse-address", "names a contract with another form of proofs of possession");
    }
  };
}
