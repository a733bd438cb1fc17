import type { Values } from "../../config/options.ts";
import { RECORDED_CHAIN } from "./recorded-chain.ts";

/** Environment variables that the demo uses. Settings of the chain come from the recording. */
const USED_VARIABLES = [
  "AZTEC_PORT",
  "AZTEC_ADMIN_PORT",
  "SVC_RPC_HOST",
  "SVC_ADMIN_HOST",
  "LOG_LEVEL",
  "LOG_JSON",
  "LOG_FORMAT",
];

/**
 * The environment that the demo's configuration is read from: a loopback address, and the genesis of the recorded
 * chain, whose network ran without proofs.
 */
export function demoEnvironment(given: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const heeded = USED_VARIABLES.filter((name) => given[name]).map((name) => [name, given[name]]);
  return {
    SVC_RPC_HOST: "127.0.0.1",
    ...Object.fromEntries(heeded),
    PROVER_REAL_PROOFS: "false",
    TEST_ACCOUNTS: "true",
    SPONSORED_FPC: "true",
    PREFUND_ADDRESSES: RECORDED_CHAIN.prefundAddresses,
  };
}

/** Configuration of an ordinary node, changed to follow the recorded chain. */
export function onRecordedChain(
  values: Values,
  chain: { l1Url: string; blobStore: string; port: number; adminPort: number },
): Values & { registryAddress: string } {
  return {
    ...values,
    node: true,
    port: chain.port,
    adminPort: chain.adminPort,
    l1RpcUrls: [chain.l1Url],
    l1ChainId: RECORDED_CHAIN.l1ChainId,
    registryAddress: RECORDED_CHAIN.registryAddress,
    blobFileStoreUrls: [chain.blobStore],
  };
}
