import { byPosition, listOf, secret } from "../kinds/kinds.ts";
import { integer, MAX_MILLISECONDS, MAX_SECONDS, rollupVersion } from "../kinds/number-kinds.ts";
import { converted, rowsOf } from "../kinds/option.ts";
import { l1Address } from "../kinds/protocol-kinds.ts";
import { httpUrl } from "../kinds/url-kinds.ts";

const { optional, withDefault } = rowsOf("L1", "l1");

const httpUrls = listOf(httpUrl);

export const l1 = {
  l1RpcUrls: withDefault(
    {
      flags: ["--l1-rpc-urls"],
      env: ["ETHEREUM_HOSTS"],
      kind: httpUrls,
      to: ["l1.urls", converted("l1.shownUrls", httpUrls.show)],
      meaning: "L1 execution RPC URLs, tried in order",
    },
    [],
  ),
  l1DebugRpcUrls: withDefault(
    {
      env: ["ETHEREUM_DEBUG_HOSTS"],
      kind: listOf(httpUrl),
      to: ["l1.debugUrls"],
      meaning: "L1 execution RPC URLs that support debug or trace methods",
    },
    [],
  ),
  ethereumHttpTimeoutMs: optional({
    env: ["ETHEREUM_HTTP_TIMEOUT_MS"],
    kind: integer(1, MAX_MILLISECONDS),
    to: ["l1.timeoutMs"],
    meaning:
      "time after which a request to an L1 execution endpoint is given up, in ms; unset means 20000, and 10000 for " +
      "publishers and the slasher",
  }),
  l1ChainId: withDefault(
    {
      flags: ["--l1-chain-id"],
      env: ["L1_CHAIN_ID"],
      kind: integer(1, Number.MAX_SAFE_INTEGER),
      admin: { only: "svc", form: { whole: { least: 1 } } },
      to: ["l1.chainId"],
      meaning: "chain id that L1 must report",
    },
    31337,
  ),
  l1ConsensusHostUrls: withDefault(
    {
      flags: ["--l1-consensus-host-urls"],
      env: ["L1_CONSENSUS_HOST_URLS"],
      kind: listOf(httpUrl),
      to: ["l1.consensusUrls"],
      meaning: "L1 beacon API URLs, used to fetch blobs",
    },
    [],
  ),
  l1ConsensusHostApiKeys: optional({
    flags: ["--l1-consensus-host-api-keys"],
    env: ["L1_CONSENSUS_HOST_API_KEYS"],
    kind: secret(byPosition),
    to: ["l1.consensusApiKeys"],
    meaning: "API keys of the beacon URLs, in the same order; sent as ?key= unless a header is named",
  }),
  l1ConsensusHostApiKeyHeaders: withDefault(
    {
      flags: ["--l1-consensus-host-api-key-headers"],
      env: ["L1_CONSENSUS_HOST_API_KEY_HEADERS"],
      kind: byPosition,
      to: ["l1.consensusApiKeyHeaders"],
      meaning: "HTTP header names for the beacon API keys, in the same order",
    },
    [],
  ),
  registryAddress: optional({
    flags: ["--registry-address"],
    env: ["REGISTRY_CONTRACT_ADDRESS"],
    kind: l1Address,
    to: ["l1.registryAddress"],
    meaning: "address of the L1 registry contract; required by a node",
  }),
  rollupVersion: withDefault(
    {
      flags: ["--rollup-version"],
      env: ["ROLLUP_VERSION"],
      kind: rollupVersion,
      to: ["l1.rollupVersion"],
      meaning: "version of the rollup in the registry to follow",
    },
    "canonical",
  ),
  ethereumSlotDuration: withDefault(
    {
      env: ["ETHEREUM_SLOT_DURATION"],
      kind: integer(1, MAX_SECONDS),
      to: ["l1.slotDuration"],
      meaning: "seconds per L1 slot",
    },
    12,
  ),
  slashFactoryAddress: optional({
    env: ["SLASH_FACTORY_CONTRACT_ADDRESS"],
    kind: l1Address,
    to: ["l1.slashFactoryAddress"],
    meaning: "address of the slash factory contract to report in RPC; it cannot be read from L1",
  }),
  feeAssetHandlerAddress: optional({
    env: ["FEE_ASSET_HANDLER_CONTRACT_ADDRESS"],
    kind: l1Address,
    to: ["l1.feeAssetHandlerAddress"],
    meaning: "address of the fee asset handler contract to report in RPC; it cannot be read from L1",
  }),
  viemPollingIntervalMS: withDefault(
    {
      env: ["L1_READER_VIEM_POLLING_INTERVAL_MS"],
      kind: integer(1, MAX_MILLISECONDS),
      meaning: "polling interval for L1 events, in ms",
      unused: true,
    },
    1000,
  ),
};
