import type { JsonField } from "../json/json-field.ts";
import { fromHex, toHex } from "../protocol/bytes.ts";
import { RECORDED_NAMES } from "../protocol/generations/known/choose.ts";
import type { L1Constants } from "../protocol/time.ts";
import { isEveryRollups, L1_CONTRACT_NAMES, type L1ContractAddresses } from "./contract-addresses.ts";
import type { RollupIdentity } from "./types.ts";

/** The constants, and the least value of each: durations are divided by. */
const CONSTANTS = {
  l1StartBlock: 0,
  l1GenesisTime: 0,
  slotDuration: 1,
  epochDuration: 1,
  ethereumSlotDuration: 1,
  proofSubmissionEpochs: 0,
  targetCommitteeSize: 0,
  rollupManaLimit: 0,
} satisfies Record<keyof L1Constants, number>;

const RECORDED_NAME = new RegExp(`^(?:${RECORDED_NAMES.join("|")})$`);

/** The JSON form of an identity. */
export function identityJson({ l1StartBlockHash, genesisArchiveRoot, ...identity }: RollupIdentity): object {
  return {
    ...identity,
    l1StartBlockHash: toHex(l1StartBlockHash),
    genesisArchiveRoot: toHex(genesisArchiveRoot),
  };
}

/** Unknown contracts are ignored. */
export function readIdentityJson(json: JsonField): RollupIdentity {
  json.object();
  const constants = json.key("constants");
  const addresses = json.key("addresses");
  constants.object();
  addresses.object();
  const generation = json
    .key("generation")
    .optional((field) => field.text(RECORDED_NAME, `must be ${RECORDED_NAMES.join(" or ")}, or absent`));
  const names = L1_CONTRACT_NAMES.filter((name) => isEveryRollups(name) || addresses.has(name));
  return {
    l1ChainId: json.key("l1ChainId").whole(1),
    rollupVersion: json.key("rollupVersion").whole(),
    ...(generation !== undefined && { generation }),
    addresses: Object.fromEntries(names.map((name) => [name, addresses.key(name).hex(20)])) as L1ContractAddresses,
    constants: Object.fromEntries(
      Object.entries(CONSTANTS).map(([name, least]) => [name, constants.key(name).whole(least)]),
    ) as unknown as L1Constants,
    l1StartBlockHash: fromHex(json.key("l1StartBlockHash").hex(32)),
    genesisArchiveRoot: fromHex(json.key("genesisArchiveRoot").hex(32)),
  };
}
