import { describe, expect, test } from "vitest";
import {
  contractClassId,
  privateFunctionsRoot,
  publicBytecodeCommitment,
} from "../../../../src/core/derive/contract-class.ts";
import { loadCore } from "../../../../src/core/load-core.ts";
import { concat, fromHex, readU32, toHex, word } from "../../../../src/protocol/bytes.ts";
import { SEPARATOR as COMMON } from "../../../../src/protocol/constants.ts";
import { FR_ZERO, fr } from "../../../../src/protocol/field.ts";
import { partialAddress } from "../../../../src/protocol/generations/addresses.ts";
import { preAddress, saltedInitializationHash } from "../../../../src/protocol/generations/v5/instances.ts";
import { publicKeyHash } from "../../../../src/protocol/generations/v5/public-keys.ts";
import { SEPARATOR } from "../../../../src/protocol/generations/v5/separators.ts";
import { V5 } from "../../../../src/protocol/generations/v5/v5.ts";
import { protocolContractsHash } from "../../../world/core/protocol-contracts-hash.ts";
import { readVectors } from "./vectors.ts";

type KeysText = Record<"npkMHash" | "ivpkM" | "ovpkMHash" | "tpkMHash" | "mspkMHash" | "fbpkMHash", string>;
const core = loadCore();
const { publicKeysHash, instanceAddress, defaultPublicKeys, protocolContracts } = V5.contracts;

function keysOf({ npkMHash, ivpkM, ovpkMHash, tpkMHash, mspkMHash, fbpkMHash }: KeysText): Uint8Array {
  return concat(...[npkMHash, ivpkM, ovpkMHash, tpkMHash, mspkMHash, fbpkMHash].map(fromHex));
}

describe("domain separators of v5", () => {
  const recorded = readVectors<Record<string, number>>("domain-separators");

  test("are the network's, and low 32 bits of the hash of their names", () => {
    for (const [name, value] of Object.entries(recorded)) {
      const hash = core.hashBytes(new TextEncoder().encode(`az_dom_sep__${name.toLowerCase()}`));
      expect(readU32(hash, 28), name).toBe(value);
    }
    for (const [name, value] of Object.entries(SEPARATOR)) expect(value, name).toBe(recorded[name]);
  });

  test("include all that generations have in common", () => {
    expect(recorded).toMatchObject(COMMON);
    expect(recorded).not.toHaveProperty("CONTRACT_ADDRESS_V1");
  });
});

describe("keys and addresses of v5", () => {
  const keys = readVectors<{ publicKeys: KeysText; publicKeysHash: string }[]>("keys");
  const instances =
    readVectors<
      (Record<string, string> & { instance: Record<string, string> & { version: number; publicKeys: KeysText } })[]
    >("contract-instances");

  test.each(keys)("public keys hash to $publicKeysHash", ({ publicKeys, publicKeysHash: hash }) => {
    expect(toHex(publicKeysHash(core, keysOf(publicKeys)))).toBe(hash);
  });

  test("the default keys have the contracts' hash, all-zero keys have zero", () => {
    expect(toHex(publicKeysHash(core, defaultPublicKeys))).toBe(
      "0x13c13fbec22a396f700180c621fb8c67b830b431fed47d4dd71a20d828829eaa",
    );
    expect(toHex(publicKeyHash(core, defaultPublicKeys.subarray(32, 96)))).toBe(
      "0x0c45c615161bc6a31033b28f54dbdc9874d3a531923bb7d5f865dc6f85bc8de3",
    );
    expect(publicKeysHash(core, new Uint8Array(224))).toEqual(FR_ZERO);
  });

  test.each(instances)("contract instance $computed", (vector) => {
    const { instance } = vector;
    const parts = {
      salt: fromHex(instance.salt),
      deployer: fromHex(instance.deployer),
      classId: fromHex(instance.originalContractClassId),
      initializationHash: fromHex(instance.initializationHash),
      immutablesHash: fromHex(instance.immutablesHash),
      publicKeys: keysOf(instance.publicKeys),
    };
    const salted = saltedInitializationHash(core, parts);
    expect(toHex(salted)).toBe(vector.saltedInitializationHash);
    expect(toHex(partialAddress(core, parts.classId, salted))).toBe(vector.partialAddress);
    expect(toHex(publicKeysHash(core, parts.publicKeys))).toBe(vector.publicKeysHash);
    expect(toHex(instanceAddress(core, parts))).toBe(instance.address);
  });

  test("an address commits to the hash of immutables", () => {
    const parts = {
      salt: fr(6),
      initializationHash: fr(7),
      deployer: fr(8),
      immutablesHash: fr(9),
      classId: fr(5),
      publicKeys: defaultPublicKeys,
    };
    const salted = saltedInitializationHash(core, parts);
    const partial = partialAddress(core, parts.classId, salted);
    expect(toHex(salted)).toBe("0x07dc8e29b34fd34b216f7a1c86548353797593cfc46a3a0f745a7694aefd4fb1");
    expect(toHex(partial)).toBe("0x249753d0d6def8531174dd28067790079cebf217dbeccd7e5f23e4c706ec3b45");
    expect(toHex(preAddress(core, publicKeysHash(core, defaultPublicKeys), partial))).toBe(
      "0x1ff84da3f25233cbb85573a132e18595255e2145d4b2254ac3b73ded5fe32e32",
    );
    expect(toHex(instanceAddress(core, parts))).toBe(
      "0x005b3ef40e6fbd905e2e0b35f5f3757aef36cec7f086c16939da9b9019e02b86",
    );
    expect(toHex(preAddress(core, fr(1), fr(2)))).toBe(
      "0x0fa1c698858df1a99170cd39d5f4bfad6d0d60f1f8afa3dc92281ee60b36f3bb",
    );
  });
});

describe("contract classes of v5", () => {
  const classes =
    readVectors<(Record<string, string> & { privateFunctions: { selector: string; vkHash: string }[] })[]>(
      "contract-classes",
    );

  test.each(classes)("$name", (vector) => {
    const functions = vector.privateFunctions.map(({ selector, vkHash }) => ({
      selector: readU32(fromHex(selector), 0),
      vkHash: fromHex(vkHash),
    }));
    expect(toHex(privateFunctionsRoot(core, functions, V5.hashing.functionNodes))).toBe(vector.privateFunctionsRoot);
    const parts = [vector.artifactHash, vector.privateFunctionsRoot, vector.publicBytecodeCommitment].map(fromHex);
    expect(toHex(contractClassId(core, parts[0], parts[1], parts[2]))).toBe(vector.classId);
  });
});

test("the protocol contracts of v5 are 1 to 3, and the rollup commits to their derived addresses", () => {
  expect(protocolContracts.map(({ name }) => name)).toEqual([
    "ContractClassRegistry",
    "ContractInstanceRegistry",
    "FeeJuice",
  ]);
  const derived = protocolContracts.map((contract, i) => {
    expect(contract.address).toEqual(fr(i + 1));
    const commitment = publicBytecodeCommitment(core, contract.packedBytecode);
    const { artifactHash, privateFunctionsRoot: root, classId, address } = contract;
    expect(contractClassId(core, artifactHash, root, commitment)).toEqual(classId);
    return instanceAddress(core, {
      salt: fr(1),
      deployer: address,
      classId,
      initializationHash: FR_ZERO,
      immutablesHash: FR_ZERO,
      publicKeys: defaultPublicKeys,
    });
  });
  expect(toHex(protocolContractsHash(core, derived))).toBe(V5.contracts.protocolContractsHash);
});

describe("published contracts of v5", () => {
  const { publicKeys } = readVectors<{ publicKeys: KeysText }[]>("keys")[0];
  const fields = Array.from({ length: 15 }, (_, i) => fr(100 + i));
  fields[2] = fr(2);
  const keys = keysOf(publicKeys);
  for (let i = 0; i < 7; i++) fields[7 + i] = word(keys, i);

  test("an event has the immutables' hash before the keys, and commits to its address", () => {
    const event = V5.contracts.readInstancePublished(concat(...fields));
    expect(event).toEqual({
      address: fr(101),
      salt: fr(103),
      classId: fr(104),
      initializationHash: fr(105),
      immutablesHash: fr(106),
      publicKeys: keys,
      deployer: fr(114),
    });
    const address = instanceAddress(core, event);
    expect(instanceAddress(core, { ...event, immutablesHash: FR_ZERO })).not.toEqual(address);
  });

  test("an event of another version and a viewing key beside the curve are refused", () => {
    const v4 = concat(...fields.with(2, fr(1)));
    expect(() => V5.contracts.readInstancePublished(v4)).toThrow("version must be 2, got 1");
    const beside = V5.contracts.readInstancePublished(concat(...fields.with(8, fr(5))));
    expect(() => instanceAddress(core, beside)).toThrow("incoming viewing key must be a point of the curve");
  });
});
