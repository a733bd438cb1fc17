import { isObject } from "../../../json/json-field.ts";
import { concat } from "../../../protocol/bytes.ts";
import type { ContractRules } from "../../../protocol/generations/contracts.ts";
import type { ContractOverride, SimulationOverrides } from "../../ports/simulator.ts";
import {
  array,
  type Codec,
  converted,
  described,
  object,
  optional,
  rejected,
  ruled,
  typed,
  wrongType,
} from "../json/codec.ts";
import { fieldText, l2AddressText } from "../json/hex-text.ts";
import { named } from "../json/json-schema.ts";
import { oneOf } from "../json/number.ts";

const MAX_STORAGE_OVERRIDES = 200;
const MAX_CONTRACT_OVERRIDES = 50;

const POINT = /^(?:0x)?[0-9a-fA-F]{128}$/;

/** A curve point: x, then y. */
const point: Codec<Uint8Array> = {
  schema: named("PointInput", "A point of the Grumpkin curve: x, then y, 64 hex digits each, with or without 0x.", {
    type: "string",
    pattern: "^(0x)?[0-9a-fA-F]{128}$",
  }),
  read: (value, path, issues) =>
    typeof value === "string" && POINT.test(value)
      ? Buffer.from(value.slice(-128), "hex")
      : rejected(issues, path, value === undefined ? "Required" : "Not a valid hex string"),
};

/** Reads the members into the form in which instances are stored. */
function publicKeysCodec({ publicKeyMembers }: ContractRules): Codec<Uint8Array> {
  const stored = new Map(publicKeyMembers.map((member) => [member.at, member]));
  const codecs = [...stored.values()].map(({ name, form }) => [name, form === "point" ? point : fieldText] as const);
  return converted(object(Object.fromEntries(codecs)), (keys) => concat(...codecs.map(([name]) => keys[name])));
}

/** ContractInstanceWithAddress of the development API (docs/protocol/05-rpc.md#528-contracts). */
function instanceCodec(rules: ContractRules): Codec<ContractOverride["instance"]> {
  const members = {
    version: described(oneOf([rules.instanceVersion]), "Version of this form."),
    salt: described(fieldText, "Makes the address one of many."),
    deployer: described(l2AddressText, "Who may deploy it; zero for anyone."),
    currentContractClassId: described(fieldText, "Id of the class that its code is of."),
    originalContractClassId: described(fieldText, "Id of the class that it was deployed with."),
    initializationHash: described(fieldText, "Hash of the call that initializes it; zero without one."),
    publicKeys: described(publicKeysCodec(rules), "Its public keys."),
    address: described(l2AddressText, "Its address."),
  };
  const immutablesHash = described(fieldText, "Hash of the values that its address binds; zero without any.");
  return typed(
    rules.bindsImmutables ? object({ ...members, immutablesHash }) : object(members),
    "ContractInstanceInput",
    "A contract as if it were deployed.",
  );
}

/** An object keyed by address text. */
function contractsCodec(rules: ContractRules): Codec<ContractOverride[]> {
  const entry = object({ instance: described(instanceCodec(rules), "The contract.") });
  return {
    schema: { type: "object", additionalProperties: entry.schema, maxProperties: MAX_CONTRACT_OVERRIDES },
    read(value, path, issues) {
      if (!isObject(value)) return wrongType(issues, path, "object", value);
      const entries = Object.entries(value);
      if (entries.length > MAX_CONTRACT_OVERRIDES) {
        return rejected(issues, path, `contracts must have at most ${MAX_CONTRACT_OVERRIDES} entries`);
      }
      return entries.map(([address, given]) => ({
        address: l2AddressText.read(address, [...path, address.slice(0, 80)], issues),
        instance: entry.read(given, [...path, address.slice(0, 80)], issues)?.instance,
      }));
    },
  };
}

const storage = array(
  object({
    contract: described(l2AddressText, "The contract."),
    slot: described(fieldText, "The slot as in the contract's source."),
    value: described(fieldText, "The value."),
  }),
);

/** SimulationOverrides (docs/protocol/05-rpc.md#525-simulation-output). */
export function simulationOverrides(rules: ContractRules): Codec<SimulationOverrides> {
  return typed(
    object({
      publicStorage: described(
        optional(
          ruled(storage, ({ length }) =>
            length > MAX_STORAGE_OVERRIDES
              ? `publicStorage must have at most ${MAX_STORAGE_OVERRIDES} entries`
              : undefined,
          ),
          [],
        ),
        `Values in public storage, at most ${MAX_STORAGE_OVERRIDES}.`,
      ),
      contracts: described(
        optional(contractsCodec(rules), []),
        "Contracts by address; their classes have to be published.",
      ),
    }),
    "SimulationOverrides",
    "What a simulation takes for given instead of what the chain has.",
  );
}
