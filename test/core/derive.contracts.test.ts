import { describe, expect, test } from "vitest";
import { argumentsHash } from "../../src/core/derive/call-hashes.ts";
import {
  contractClassId,
  privateFunctionLeaf,
  privateFunctionsRoot,
  publicBytecodeCommitment,
} from "../../src/core/derive/contract-class.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { concat, fromHex, toHex } from "../../src/protocol/bytes.ts";
import { DecodeError } from "../../src/protocol/errors.ts";
import { FR_ZERO, fr } from "../../src/protocol/field.ts";
import { addressPoint, initializationHash, partialAddress } from "../../src/protocol/generations/addresses.ts";
import { instanceAddress, preAddress, saltedInitializationHash } from "../../src/protocol/generations/v4/instances.ts";
import { publicKeysHash, viewingKey } from "../../src/protocol/generations/v4/public-keys.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { type GrumpkinPoint, grumpkinAdd, grumpkinMulGenerator, isOnGrumpkin } from "../../src/protocol/grumpkin.ts";
import { artifactHash, functionArtifactHash, sha256Reduced } from "../world/core/artifact-hash.ts";
import { contractInstanceBytes, contractInstanceFromBytes } from "../world/core/instance-bytes.ts";
import { protocolContractsHash } from "../world/core/protocol-contracts-hash.ts";
import { BUILDS } from "./builds.ts";
import { readVectors } from "./support/vectors.ts";

type Case = Record<string, string>;
type PointText = [string, string];
type KeysText = Record<"npk" | "ivpk" | "ovpk" | "tpk", PointText>;
interface FunctionText {
  selector: string;
  vkHash: string;
}
type InstanceCase = Omit<Case, "publicKeys"> & {
  publicKeys: KeysText;
  instanceBytes?: string;
  currentContractClassId?: string;
};
const { grumpkin, contracts, byteHashes } = readVectors<{
  grumpkin: {
    generator: PointText;
    generatorMul: { scalar: string; x: string; y: string }[];
    add: { a: PointText; b: PointText; sum: PointText }[];
  };
  byteHashes: { cases: Case[] };
  contracts: {
    defaultPublicKeys: KeysText & { hash: string };
    instances: InstanceCase[];
    initializationHash: { selector: string; args: string[]; argsHash: string; initializationHash: string }[];
    privateFunctionsRoot: {
      zeroLeaf: string;
      cases: { functions: FunctionText[]; sortedLeaves: string[]; root: string }[];
    };
    publicBytecodeCommitment: { bytecode: string; commitment: string }[];
    classId: Case[];
    artifactHash: Case[];
    functionArtifactHash: Case[];
    protocolContracts: {
      list: (Omit<Case, "privateFunctions"> & { privateFunctions: FunctionText[] })[];
      derivedAddresses: string[];
      protocolContractsHash: string;
    };
  };
}>("crypto.json");
describe.each(BUILDS)("with the %s build", (build) => {
  const core = loadCore({ build });

  const point = ([x, y]: PointText): GrumpkinPoint => ({ x: fromHex(x), y: fromHex(y) });
  const text = ({ x, y }: GrumpkinPoint): PointText => [toHex(x), toHex(y)];
  const publicKeys = ({ npk, ivpk, ovpk, tpk }: KeysText) =>
    concat(...[npk, ivpk, ovpk, tpk].flat().map((coordinate) => fromHex(coordinate)));
  const privateFunctions = (functions: FunctionText[]) =>
    functions.map(({ selector, vkHash }) => ({ selector: Number(selector), vkHash: fromHex(vkHash) }));

  describe("Grumpkin", () => {
    test.each(grumpkin.generatorMul)(
      "$scalar times the generator of Grumpkin is the point of the vectors",
      ({ scalar, x, y }) => {
        expect(text(grumpkinMulGenerator(fromHex(scalar)))).toEqual([x, y]);
      },
    );

    test.each(grumpkin.add)("$a + $b on Grumpkin is the point of the vectors", ({ a, b, sum }) => {
      expect(text(grumpkinAdd(point(a), point(b)))).toEqual(sum);
    });

    test("a point off the curve is detected and cannot be added", () => {
      const off = { x: fr(1), y: fr(1) };
      expect(isOnGrumpkin(off)).toBe(false);
      expect(isOnGrumpkin(point(grumpkin.generator))).toBe(true);
      expect(() => grumpkinAdd(off, point(grumpkin.generator))).toThrow();
    });
  });

  describe("addresses", () => {
    test("the default public keys and their hash are those of the vectors", () => {
      expect(V4.contracts.defaultPublicKeys).toEqual(publicKeys(contracts.defaultPublicKeys));
      expect(toHex(publicKeysHash(core, V4.contracts.defaultPublicKeys))).toBe(contracts.defaultPublicKeys.hash);
    });

    test("public keys that are all (0, 0) hash to zero", () => {
      expect(publicKeysHash(core, new Uint8Array(256))).toEqual(FR_ZERO);
    });

    test.each(contracts.initializationHash)(
      "an initialization hash is that of the vectors: $initializationHash",
      (v) => {
        const args = fromHex(v.args.map((a) => a.slice(2)).join(""));
        expect(toHex(argumentsHash(core, args))).toBe(v.argsHash);
        expect(toHex(initializationHash(core, Number(v.selector), fromHex(v.argsHash)))).toBe(v.initializationHash);
      },
    );

    test.each(contracts.instances)("the address of a contract instance is derived as in the vectors: $address", (v) => {
      const instance = {
        salt: fromHex(v.salt),
        deployer: fromHex(v.deployer),
        currentClassId: fromHex(v.currentContractClassId ?? v.originalContractClassId),
        originalClassId: fromHex(v.originalContractClassId),
        initializationHash: fromHex(v.initializationHash),
        publicKeys: publicKeys(v.publicKeys),
      };
      const salted = saltedInitializationHash(core, instance);
      expect(toHex(publicKeysHash(core, instance.publicKeys))).toBe(v.publicKeysHash);
      expect(toHex(salted)).toBe(v.saltedInitializationHash);
      expect(toHex(partialAddress(core, instance.originalClassId, salted))).toBe(v.partialAddress);
      const pre = preAddress(core, fromHex(v.publicKeysHash), fromHex(v.partialAddress));
      expect(toHex(pre)).toBe(v.preaddress);
      expect(text(addressPoint(pre, viewingKey(instance.publicKeys)))).toEqual([v.address, v.addressPointY]);
      expect(toHex(instanceAddress(core, { ...instance, classId: instance.originalClassId }))).toBe(v.address);
      const bytes = contractInstanceBytes(instance);
      if (v.instanceBytes !== undefined) expect(toHex(bytes)).toBe(v.instanceBytes);
      expect(contractInstanceFromBytes(bytes)).toEqual(instance);
    });

    test("instance bytes of another length or version are refused", () => {
      expect(() => contractInstanceFromBytes(new Uint8Array(416))).toThrow(DecodeError);
      expect(() => contractInstanceFromBytes(new Uint8Array(417))).toThrow("version must be 1, got 0");
    });
  });

  describe("contract classes", () => {
    test("an empty function leaf is H(0, 0)", () => {
      expect(toHex(core.merkle().zeroHashes[1])).toBe(contracts.privateFunctionsRoot.zeroLeaf);
    });

    test.each(contracts.privateFunctionsRoot.cases)(
      "a private functions root is that of the vectors: $root",
      ({ functions, sortedLeaves, root }) => {
        const list = privateFunctions(functions);
        const leaves = list.toSorted((a, b) => a.selector - b.selector).map((f) => toHex(privateFunctionLeaf(core, f)));
        expect(leaves).toEqual(sortedLeaves);
        expect(toHex(privateFunctionsRoot(core, list, V4.hashing.functionNodes))).toBe(root);
      },
    );

    test("more than 128 private functions are refused", () => {
      const list = Array.from({ length: 129 }, (_, selector) => ({ selector, vkHash: FR_ZERO }));
      expect(() => privateFunctionsRoot(core, list, V4.hashing.functionNodes)).toThrow(
        "at most 128 private functions, got 129",
      );
    });

    test.each(contracts.publicBytecodeCommitment)(
      "a bytecode commitment is that of the vectors: $commitment",
      ({ bytecode, commitment }) => {
        expect(toHex(publicBytecodeCommitment(core, fromHex(bytecode)))).toBe(commitment);
      },
    );

    test("bytecode of 3000 chunks is refused", () => {
      publicBytecodeCommitment(core, new Uint8Array(2999 * 31));
      expect(() => publicBytecodeCommitment(core, new Uint8Array(2999 * 31 + 1))).toThrow("at most 92969 bytes");
    });

    test.each(contracts.classId)("a contract class id is that of the vectors: $classId", (v) => {
      const id = contractClassId(
        core,
        fromHex(v.artifactHash),
        fromHex(v.privateFunctionsRoot),
        fromHex(v.publicBytecodeCommitment),
      );
      expect(toHex(id)).toBe(v.classId);
    });

    test.each(contracts.artifactHash)("an artifact hash is that of the vectors: $artifactHash", (v) => {
      const hash = artifactHash(
        core,
        fromHex(v.privateFunctionRoot),
        fromHex(v.utilityFunctionRoot),
        fromHex(v.metadataHash),
      );
      expect(toHex(hash)).toBe(v.artifactHash);
    });

    test.each(contracts.functionArtifactHash)(
      "a function artifact hash is that of the vectors: $functionArtifactHash",
      (v) => {
        const hash = functionArtifactHash(core, Number(v.selector), fromHex(v.metadataHash), fromHex(v.bytecode));
        expect(toHex(hash)).toBe(v.functionArtifactHash);
      },
    );

    test.each(byteHashes.cases)("a reduced SHA-256 is that of the vectors: $reduced", ({ bytes, reduced }) => {
      expect(toHex(sha256Reduced(core, fromHex(bytes)))).toBe(reduced);
    });
  });

  describe("protocol contracts", () => {
    test.each(contracts.protocolContracts.list)(
      "the class id and the address of protocol contract $name are derived as in the vectors",
      (v) => {
        const classId = contractClassId(
          core,
          fromHex(v.artifactHash),
          privateFunctionsRoot(core, privateFunctions(v.privateFunctions), V4.hashing.functionNodes),
          fromHex(v.publicBytecodeCommitment),
        );
        expect(toHex(classId)).toBe(v.classId);
        const address = instanceAddress(core, {
          salt: fromHex(v.salt),
          deployer: fromHex(v.address),
          classId,
          initializationHash: FR_ZERO,
          publicKeys: V4.contracts.defaultPublicKeys,
        });
        expect(toHex(address)).toBe(v.derivedAddress);
      },
    );

    test("the protocol contracts hash is computed from their derived addresses", () => {
      const addresses = contracts.protocolContracts.derivedAddresses.map(fromHex);
      expect(toHex(protocolContractsHash(core, addresses))).toBe(contracts.protocolContracts.protocolContractsHash);
      expect(toHex(protocolContractsHash(core, addresses.slice(0, 6)))).toBe(V4.contracts.protocolContractsHash);
    });
  });
});
