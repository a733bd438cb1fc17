import { expect, test } from "vitest";
import { argumentsHash, calldataHash } from "../../src/core/derive/call-hashes.ts";
import { l2ToL1MessageHash, secretHash } from "../../src/core/derive/message.ts";
import { noteHashNonce, siloNoteHash, uniqueNoteHash } from "../../src/core/derive/note-hash.ts";
import { protocolNullifier, siloNullifier } from "../../src/core/derive/nullifier.ts";
import { publicDataLeafSlot } from "../../src/core/derive/public-storage.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { concat, fromHex, toHex } from "../../src/protocol/bytes.ts";
import { V5 } from "../../src/protocol/generations/v5/v5.ts";
import { readVectors } from "../protocol/generations/v5/vectors.ts";

const core = loadCore();
/** Separators of wallets and contracts alone. */
const [PRIVATE_LOG, PUBLIC_INITIALIZATION, PRIVATE_INITIALIZATION] = [2769976252, 3342006647, 3990889078];
const MERKLE = V5.hashing.treeNodes[1] as number;

const HASHES: Readonly<Record<string, (inputs: Uint8Array[], texts: string[]) => Uint8Array>> = {
  computeNoteHashNonce: ([nullifier], [, index]) => noteHashNonce(core, nullifier, Number(index)),
  siloNoteHash: ([contract, noteHash]) => siloNoteHash(core, contract, noteHash),
  computeUniqueNoteHash: ([nonce, siloed]) => uniqueNoteHash(core, nonce, siloed),
  siloNullifier: ([contract, nullifier]) => siloNullifier(core, contract, nullifier),
  computePublicDataTreeLeafSlot: ([contract, slot]) => publicDataLeafSlot(core, contract, slot),
  computeSecretHash: ([secret]) => secretHash(core, secret),
  computeVarArgsHash: (args) => argumentsHash(core, concat(...args)),
  computeCalldataHash: (calldata) => calldataHash(core, concat(...calldata)),
  computeProtocolNullifier: ([txRequestHash]) => protocolNullifier(core, txRequestHash),
  computeSiloedPrivateLogFirstField: (inputs) => core.hashWithSeparator(PRIVATE_LOG, concat(...inputs)),
  computeSiloedPublicInitializationNullifier: ([contract]) =>
    siloNullifier(core, contract, core.hashWithSeparator(PUBLIC_INITIALIZATION, contract)),
  computeSiloedPrivateInitializationNullifier: ([contract, initializationHash]) =>
    siloNullifier(core, contract, core.hashWithSeparator(PRIVATE_INITIALIZATION, concat(contract, initializationHash))),
  computeL2ToL1MessageHash: ([sender, recipient, content, rollupVersion, chainId]) =>
    l2ToL1MessageHash({ sender, recipient: recipient.slice(-20), content, rollupVersion, chainId } as never),
  "poseidon2HashWithSeparator(MERKLE_HASH)": (inputs) => core.hashWithSeparator(MERKLE, concat(...inputs)),
  poseidon2Hash: (inputs) => core.hash(concat(...inputs)),
};
/** Checked beside the trees: test/world-state/world-state.v5.test.ts. */
const OF_TREES = ["computeMerkleHash", "computeNullifierMerkleHash", "computePublicDataMerkleHash"];

test.each(
  readVectors<{ name: string; inputs: string[]; result: string }[]>("hashing").filter(
    ({ name }) => !OF_TREES.includes(name),
  ),
)("v5's $name of $inputs is that of the vectors", ({ name, inputs, result }) => {
  const words = inputs.map((input) => (input.startsWith("0x") ? fromHex(input) : new Uint8Array(32)));
  expect(toHex(HASHES[name](words, inputs))).toBe(result);
});
