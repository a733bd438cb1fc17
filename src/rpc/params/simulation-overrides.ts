import { concat } from "../../protocol/bytes.ts";
import { array, type Codec, converted, isObject, object, optional, rejected, ruled, wrongType } from "./codec.ts";
import { fieldText, l2AddressText } from "./hex-text.ts";
import { oneOf } from "./number.ts";

const MOST_STORAGE_OVERRIDES = 200;
const MOST_CONTRACT_OVERRIDES = 50;

const POINT = /^(?:0x)?[0-9a-fA-F]{128}$/;

/** A curve point: x, then y. */
const point: Codec<Uint8Array> = {
  schema: { title: "Point", type: "string", pattern: "^(0x)?[0-9a-fA-F]{128}$" },
  read: (value, path, issues) =>
    typeof value === "string" && POINT.test(value)
      ? Buffer.from(value.slice(-128), "hex")
      : rejected(issues, path, value === undefined ? "Required" : "Not a valid hex string"),
};

const publicKeys = converted(
  object({
    masterNullifierPublicKey: point,
    masterIncomingViewingPublicKey: point,
    masterOutgoingViewingPublicKey: point,
    masterTaggingPublicKey: point,
  }),
  (keys) => concat(...Object.values(keys)),
);

/** ContractInstanceWithAddress of this generation (sheet 02 section 4.8). */
const instance = object({
  version: oneOf([1]),
  salt: fieldText,
  deployer: l2AddressText,
  currentContractClassId: fieldText,
  originalContractClassId: fieldText,
  initializationHash: fieldText,
  publicKeys,
  address: l2AddressText,
});

type Read<C> = C extends Codec<infer T> ? T : never;
export type ContractOverride = { address: Uint8Array; instance: Read<typeof instance> };

const contractEntry = object({ instance });

/** An object keyed by address text. */
const contracts: Codec<ContractOverride[]> = {
  schema: { type: "object", additionalProperties: contractEntry.schema, maxProperties: MOST_CONTRACT_OVERRIDES },
  read(value, path, issues) {
    if (!isObject(value)) return wrongType(issues, path, "object", value);
    const entries = Object.entries(value);
    if (entries.length > MOST_CONTRACT_OVERRIDES) {
      return rejected(issues, path, `contracts must have at most ${MOST_CONTRACT_OVERRIDES} entries`);
    }
    return entries.map(([address, entry]) => ({
      address: l2AddressText.read(address, [...path, address.slice(0, 80)], issues),
      instance: contractEntry.read(entry, [...path, address.slice(0, 80)], issues)?.instance,
    }));
  },
};

const storage = array(object({ contract: l2AddressText, slot: fieldText, value: fieldText }));

/** SimulationOverrides (sheet 03 section 6.6). */
export const simulationOverrides = object({
  publicStorage: optional(
    ruled(storage, ({ length }) =>
      length > MOST_STORAGE_OVERRIDES ? `publicStorage must have at most ${MOST_STORAGE_OVERRIDES} entries` : undefined,
    ),
    [],
  ),
  contracts: optional(contracts, []),
});

export type SimulationOverrides = Read<typeof simulationOverrides>;
