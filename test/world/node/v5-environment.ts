import { type ServedRecording, V5_CHAINS, type V5Chain } from "../l1/served-recording.ts";

/** Accounts that options fund in the genesis of each recorded v5 chain. */
const FUNDED = {
  PREFUND_ADDRESSES: "0x0ea5e3299643640e61f66001d44b91810255d9b6e3137dfab744562097e445b3",
  TEST_ACCOUNTS: "true",
  SPONSORED_FPC: "true",
};

/** Environment variables that make a node follow a recorded v5 chain, asking L1 twenty times a second. */
export function v5Environment(l1: ServedRecording, chain: V5Chain): Record<string, string> {
  return {
    ...FUNDED,
    L1_CHAIN_ID: "31337",
    ETHEREUM_HOSTS: l1.url,
    REGISTRY_CONTRACT_ADDRESS: V5_CHAINS[chain],
    BLOB_FILE_STORE_URLS: `file://${l1.blobStore}`,
    ARCHIVER_POLLING_INTERVAL_MS: "50",
    P2P_ENABLED: "false",
  };
}
