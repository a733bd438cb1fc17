import { expect, test } from "vitest";
import { preloadedClasses, preloadedInstances } from "../../src/archiver/preloaded-contracts.ts";
import { contractClassId, publicBytecodeCommitment } from "../../src/core/derive/contract-class.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { readVectors } from "../world/archiver/vectors.ts";
import { protocolContractsHash } from "../world/core/protocol-contracts-hash.ts";

const core = loadCore();
const classes = preloadedClasses(V4.contracts);
const byAddress = preloadedInstances(V4.contracts);
const { contracts } = readVectors<{
  contracts: {
    protocolContracts: { list: Record<"name" | "address" | "classId" | "publicBytecodeCommitment", string>[] };
  };
}>("crypto.json");

test.each(contracts.protocolContracts.list)("the protocol contract $name has the class of the network", (v) => {
  const instance = byAddress.get(v.address)!;
  const { id, artifactHash, privateFunctionsRoot, packedBytecode } = classes.get(v.classId)!;
  const commitment = publicBytecodeCommitment(core, packedBytecode);
  expect(toHex(commitment)).toBe(v.publicBytecodeCommitment);
  expect(toHex(contractClassId(core, artifactHash, privateFunctionsRoot, commitment))).toBe(v.classId);
  expect([instance.currentContractClassId, instance.originalContractClassId, id].map(toHex)).toEqual(
    Array(3).fill(v.classId),
  );
  expect([instance.address, instance.deployer].map(toHex)).toEqual([v.address, v.address]);
  expect(V4.contracts.protocolContracts.find(({ name }) => name === v.name)!.address).toEqual(fromHex(v.address));
});

test("there are six protocol contracts, and their derived addresses hash to the network's value", () => {
  const instances = [...byAddress.values()];
  expect(instances.map(({ address }) => address)).toEqual([1, 2, 3, 4, 5, 6].map(fr));
  const addresses = instances.map(({ salt, deployer, initializationHash, originalContractClassId, publicKeys }) => {
    expect(toHex(publicKeys)).toBe(toHex(V4.contracts.defaultPublicKeys));
    return V4.contracts.instanceAddress(core, {
      salt,
      deployer,
      initializationHash,
      classId: originalContractClassId,
      publicKeys: V4.contracts.defaultPublicKeys,
    });
  });
  expect(toHex(protocolContractsHash(core, addresses))).toBe(V4.contracts.protocolContractsHash);
});
