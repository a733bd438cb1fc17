import { describe, expect, test } from "vitest";
import { argumentsHash, calldataHash } from "../../src/core/derive/call-hashes.ts";
import {
  classIdAt,
  contractUpdateHashLeafSlot,
  contractUpdateSlots,
  delayedClassIdFromWords,
  delayedClassIdHash,
  delayedClassIdWords,
} from "../../src/core/derive/contract-update.ts";
import {
  innerMessageNullifier,
  l2ToL1MessageHash,
  messageNullifier,
  secretHash,
} from "../../src/core/derive/message.ts";
import { noteHashNonce, siloNoteHash, uniqueNoteHash } from "../../src/core/derive/note-hash.ts";
import { protocolNullifier, siloNullifier } from "../../src/core/derive/nullifier.ts";
import {
  feePayerBalanceLeafSlot,
  feePayerBalanceSlot,
  mapEntrySlot,
  publicDataLeafSlot,
} from "../../src/core/derive/public-storage.ts";
import { selector } from "../../src/core/derive/selector.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { fromHex, readU32, toHex } from "../../src/protocol/bytes.ts";
import { SEPARATOR } from "../../src/protocol/constants.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { messageLeaf, nextRollingHash } from "../../src/protocol/l1-to-l2-message.ts";
import { shaField } from "../../src/protocol/sha-field.ts";
import { siloPrivateLogFirstField } from "../world/core/private-log.ts";
import { BUILDS } from "./builds.ts";
import { readVectors, words } from "./support/vectors.ts";

type Case = Record<string, string>;
interface SiloVectors {
  siloNullifier: Case[];
  siloNoteHash: Case[];
  computeUniqueNoteHash: Case[];
  computePublicDataTreeLeafSlot: Case[];
  deriveStorageSlotInMap: Case[];
  computeSiloedPrivateLogFirstField: Case[];
  computeNoteHashNonce: { firstNullifier: string; noteHashIndexInTx: number; result: string }[];
  computeProtocolNullifier: Case[];
  computeSecretHash: Case[];
  feePayerBalance: Case[];
  computeL1ToL2MessageNullifier: Case[];
  l1ToL2MessageHash: Case[];
  l2ToL1MessageHash: Case[];
  argsHashes: { args: string[]; varArgsHash: string; calldataHash: string }[];
  contractUpdateSlots: Case[];
  delayedPublicMutable: {
    previousValue: string;
    postValue: string;
    valueTimestampOfChange: string;
    delayPre?: string | null;
    delayPost?: string | null;
    delayTimestampOfChange: string;
    fields: string[];
    hash: string;
  }[];
}
const { silo, selectors, domainSeparators, byteHashes, inboxRollingHash } = readVectors<{
  silo: SiloVectors;
  selectors: Case[];
  domainSeparators: Record<string, number>;
  byteHashes: { cases: Case[] };
  inboxRollingHash: Case[];
}>("crypto.json");
describe.each(BUILDS)("with the %s build", (build) => {
  const core = loadCore({ build });

  /** A left-padded word of an integer or hex text. */
  function padded(value: string | number): Uint8Array {
    return fr(BigInt(value));
  }

  describe("separators", () => {
    test.each(Object.entries(domainSeparators))(
      "the domain separator %s is the low end of the byte hash of its name",
      (name, value) => {
        expect(readU32(core.hashBytes(new TextEncoder().encode(`az_dom_sep__${name.toLowerCase()}`)), 28)).toBe(value);
        if (name in SEPARATOR) expect(SEPARATOR[name as keyof typeof SEPARATOR]).toBe(value);
      },
    );
  });

  describe("silo functions", () => {
    test.each(silo.siloNullifier)(
      "a siloed nullifier is that of the vectors: $result",
      ({ contract, innerNullifier, result }) => {
        expect(toHex(siloNullifier(core, fromHex(contract), fromHex(innerNullifier)))).toBe(result);
      },
    );

    test.each(silo.computeProtocolNullifier)(
      "a protocol nullifier is that of the vectors: $result",
      ({ txRequestHash, result }) => {
        expect(toHex(protocolNullifier(core, fromHex(txRequestHash)))).toBe(result);
      },
    );

    test.each(silo.siloNoteHash)(
      "a siloed note hash is that of the vectors: $result",
      ({ contract, noteHash, result }) => {
        expect(toHex(siloNoteHash(core, fromHex(contract), fromHex(noteHash)))).toBe(result);
      },
    );

    test.each(silo.computeUniqueNoteHash)(
      "a unique note hash is that of the vectors: $result",
      ({ nonce, siloedNoteHash, result }) => {
        expect(toHex(uniqueNoteHash(core, fromHex(nonce), fromHex(siloedNoteHash)))).toBe(result);
      },
    );

    test.each(silo.computeNoteHashNonce)(
      "a note hash nonce is that of the vectors: $result",
      ({ firstNullifier, noteHashIndexInTx, result }) => {
        expect(toHex(noteHashNonce(core, fromHex(firstNullifier), noteHashIndexInTx))).toBe(result);
      },
    );

    test.each(silo.computeSiloedPrivateLogFirstField)(
      "the siloed first field of a private log is that of the vectors: $result",
      ({ contract, tag, result }) => {
        expect(toHex(siloPrivateLogFirstField(core, fromHex(contract), fromHex(tag)))).toBe(result);
      },
    );

    test.each(silo.computePublicDataTreeLeafSlot)(
      "a public data leaf slot is that of the vectors: $result",
      ({ contract, storageSlot, result }) => {
        expect(toHex(publicDataLeafSlot(core, fromHex(contract), fromHex(storageSlot)))).toBe(result);
      },
    );

    test.each(silo.deriveStorageSlotInMap)(
      "the storage slot of a map entry is that of the vectors: $result",
      ({ mapSlot, key, result }) => {
        expect(toHex(mapEntrySlot(core, fromHex(mapSlot), fromHex(key)))).toBe(result);
      },
    );

    test.each(silo.feePayerBalance)(
      "the balance slots of fee payer $feePayer are those of the vectors",
      ({ feePayer, storageSlot, leafSlot }) => {
        expect(toHex(feePayerBalanceSlot(core, fromHex(feePayer)))).toBe(storageSlot);
        expect(toHex(feePayerBalanceLeafSlot(core, V4.contracts, fromHex(feePayer)))).toBe(leafSlot);
      },
    );
  });

  describe("calls", () => {
    test.each(silo.argsHashes)(
      "hashes of call arguments and calldata are those of the vectors: $varArgsHash",
      (vector) => {
        expect(toHex(argumentsHash(core, words(vector.args)))).toBe(vector.varArgsHash);
        expect(toHex(calldataHash(core, words(vector.args)))).toBe(vector.calldataHash);
      },
    );

    test.each(selectors)("the selector of $signature is that of the vectors", (vector) => {
      expect(toHex(core.hashBytes(new TextEncoder().encode(vector.signature)))).toBe(vector.hash);
      expect(selector(core, vector.signature)).toBe(Number(vector.selector));
    });

    test("a function signature with white space is refused", () => {
      expect(() => selector(core, "transfer(Field, Field)")).toThrow("signature: must hold no white space");
    });
  });

  describe("messages", () => {
    test.each(silo.computeSecretHash)("a secret hash is that of the vectors: $result", ({ secret, result }) => {
      expect(toHex(secretHash(core, fromHex(secret)))).toBe(result);
    });

    test.each(silo.computeL1ToL2MessageNullifier)(
      "the nullifier of an L1-to-L2 message is that of the vectors: $result",
      (v) => {
        const [messageHash, secret] = [fromHex(v.messageHash), fromHex(v.secret)];
        expect(toHex(innerMessageNullifier(core, messageHash, secret))).toBe(v.innerNullifier);
        expect(toHex(messageNullifier(core, fromHex(v.contract), messageHash, secret))).toBe(v.result);
      },
    );

    test.each(silo.l1ToL2MessageHash)("the hash of an L1-to-L2 message is that of the vectors: $hash", (v) => {
      const leaf = messageLeaf({
        sender: padded(v.sender),
        senderChainId: padded(v.chainId),
        recipient: fromHex(v.recipient),
        recipientVersion: padded(v.version),
        content: fromHex(v.content),
        secretHash: fromHex(v.secretHash),
        index: padded(v.index),
      });
      expect(toHex(leaf)).toBe(v.hash);
    });

    test.each(silo.l2ToL1MessageHash)("the hash of an L2-to-L1 message is that of the vectors: $hash", (v) => {
      const hash = l2ToL1MessageHash({
        sender: fromHex(v.l2Sender),
        rollupVersion: fromHex(v.rollupVersion),
        recipient: fromHex(v.l1Recipient),
        chainId: fromHex(v.chainId),
        content: fromHex(v.content),
      });
      expect(toHex(hash)).toBe(v.hash);
    });

    test.each(inboxRollingHash)(
      "the next rolling hash of the inbox is that of the vectors: $next",
      ({ previous, leaf, next }) => {
        expect(toHex(nextRollingHash(fromHex(previous), fromHex(leaf)))).toBe(next);
      },
    );

    test.each(byteHashes.cases)("a truncated SHA-256 is that of the vectors: $toField", ({ bytes, toField }) => {
      expect(toHex(shaField(fromHex(bytes)))).toBe(toField);
    });
  });

  describe("class updates", () => {
    test.each(silo.contractUpdateSlots)(
      "the class update slots of contract $contract are those of the vectors",
      ({ contract, valuesSlot, hashSlot, hashLeafSlot }) => {
        const slots = contractUpdateSlots(core, fromHex(contract));
        expect(toHex(slots.values)).toBe(valuesSlot);
        expect(toHex(slots.hash)).toBe(hashSlot);
        expect(toHex(contractUpdateHashLeafSlot(core, fromHex(contract)))).toBe(hashLeafSlot);
      },
    );

    test.each(silo.delayedPublicMutable)("a delayed class id is packed and hashed as in the vectors: $hash", (v) => {
      const delay = (text?: string | null) => (text === undefined || text === null ? undefined : Number(text));
      const value = {
        previous: fromHex(v.previousValue),
        next: fromHex(v.postValue),
        timestampOfChange: Number(v.valueTimestampOfChange),
        delayBefore: delay(v.delayPre),
        delayAfter: delay(v.delayPost),
        delayTimestampOfChange: Number(v.delayTimestampOfChange),
      };
      const packed = delayedClassIdWords(value);
      expect(packed).toEqual(words(v.fields));
      expect(toHex(delayedClassIdHash(core, packed))).toBe(v.hash);
      expect(delayedClassIdFromWords(packed)).toEqual(value);
      expect(classIdAt(value, value.timestampOfChange)).toEqual(value.next);
      if (value.timestampOfChange > 0) expect(classIdAt(value, value.timestampOfChange - 1)).toEqual(value.previous);
    });
  });
});
