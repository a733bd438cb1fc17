import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { txHash } from "../../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { BbProgramError, findBbProgram } from "../../../src/mempool/proofs/bb-program.ts";
import { BbVerifier } from "../../../src/mempool/proofs/bb-verifier.ts";
import { type ProofMessage, proofFields, proofKey, proofMessage } from "../../../src/mempool/proofs/chonk-proof.ts";
import {
  missingVerifier,
  ProofQueueFullError,
  ProofVerifierMissingError,
} from "../../../src/mempool/proofs/proof-verifier.ts";
import { SEPARATOR } from "../../../src/protocol/constants.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { recordedTxs } from "../../world/protocol/recorded-txs.ts";

const recorded = recordedTxs().map(({ tx }) => tx);
const [privateTx, publicTx] = [0, 1].map((form) => recorded.find((tx) => tx.data[0] === form) ?? recorded[0]);
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-bb-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe("program", () => {
  const wanted = V4.transactions.proofProgram;

  test("a program whose version reads other proofs is refused, and one that was built without a version is not", async () => {
    const path = program("nightly", 'echo "5.0.0-nightly.20260710"');
    await expect(findBbProgram(path, wanted)).rejects.toThrow(
      /is version 5\.0\.0-nightly\.20260710; the proofs of this rollup need version 4$/,
    );
    expect(await findBbProgram(path, V5.transactions.proofProgram)).toMatchObject({ path });
    const zeros = "00000000.00000000.00000000";
    expect(await findBbProgram(program("zeros", `echo ${zeros}`), wanted)).toMatchObject({ version: zeros });
  });

  test("a package that is not installed is named with what installs it", async () => {
    const absent = { ...wanted, package: "bb.js-of-no-version" };
    await expect(findBbProgram(undefined, absent)).rejects.toThrow(
      "neither BB_BINARY_PATH is set nor the package bb.js-of-no-version installed, which npm ci installs without --omit=optional",
    );
  });

  test("a verifying program is probed before it is trusted", async () => {
    const path = program("works", 'echo "4.1.2"');
    expect(await findBbProgram(path, wanted)).toEqual({ path, version: "4.1.2" });
    await expect(findBbProgram(program("fails", "echo wrong machine; exit 1"), wanted)).rejects.toThrow(
      /does not run.*wrong machine/,
    );
    await expect(findBbProgram(join(folder, "absent"), wanted)).rejects.toThrow(/is not there/);
  });

  test("a verifier that is missing refuses every proof with its reason", async () => {
    const refused = missingVerifier("there is none").verify(privateTx);
    await expect(refused).rejects.toThrow(ProofVerifierMissingError);
    await expect(refused).rejects.toThrow("this node cannot check proofs of transactions: there is none");
  });
});

describe("proof of a transaction", () => {
  test("its public inputs are those that the tx's hash covers", () => {
    const core = loadCore();
    for (const tx of [privateTx, publicTx]) {
      const fields = proofFields(tx);
      const inputs = fields.subarray(0, fields.length - 1935 * 32);
      const separator = tx.data[0] === 0 ? SEPARATOR.PRIVATE_TX_HASH : SEPARATOR.PUBLIC_TX_HASH;
      expect(Buffer.from(core.hashWithSeparator(separator, inputs)).equals(txHash(core, tx.data))).toBe(true);
      expect(inputs).toHaveLength((tx.data[0] === 0 ? 1281 : 2784) * 32);
    }
    for (const [generation, bytes] of [
      [V4, 4064],
      [V5, 3680],
    ] as const) {
      expect(proofKey(generation, privateTx.data)).toHaveLength(bytes);
      expect(Buffer.from(proofKey(generation, privateTx.data)).equals(proofKey(generation, publicTx.data))).toBe(false);
    }
  });

  test("its parts are its fields in order, the first with the public inputs", () => {
    const { mega_proof: mega, goblin_proof: goblin } = proofMessage(V4, privateTx);
    const {
      merge_proof: merge,
      eccvm_proof: eccvm,
      ipa_proof: ipa,
      translator_proof: translator,
    } = goblin as ProofMessage;
    const parts = [mega, merge, eccvm, ipa, translator] as Uint8Array[][];
    expect(parts.map(({ length }) => length)).toEqual([1281 + 435, 42, 608, 64, 786]);
    expect(Buffer.concat(parts.flat()).equals(proofFields(privateTx))).toBe(true);
  });
});

describe("queue", () => {
  /** A backend whose verdicts are given by hand. */
  function heldBackend() {
    const held: ((valid: boolean) => void)[] = [];
    const verify = () => new Promise<boolean>((resolve) => held.push(resolve));
    return { held, backend: { ready: Promise.resolve(), verify, close: async () => {} } };
  }

  test("a limited number of proofs are verified at once, a limited number wait, and the next is refused", async () => {
    const { held, backend } = heldBackend();
    const verifier = new BbVerifier(backend, { rules: V4, parallel: 2, maxWaiting: 3 });
    const verdicts = Array.from({ length: 5 }, () => verifier.verify(privateTx));
    await expect(verifier.verify(privateTx)).rejects.toThrow(ProofQueueFullError);
    for (let done = 0; done < 5; done++) {
      expect(held).toHaveLength(Math.min(2, 5 - done));
      held.shift()?.(done % 2 === 0);
      await verdicts[done];
      await new Promise(setImmediate);
    }
    expect(await Promise.all(verdicts)).toEqual([true, false, true, false, true]);
    await verifier.close();
  });

  test("a verification that fails passes its place on", async () => {
    const backend = {
      ready: Promise.resolve(),
      verify: () => Promise.reject(new BbProgramError("bb", "ended")),
      close: async () => {},
    };
    const verifier = new BbVerifier(backend, { rules: V4, parallel: 1 });
    for (let i = 0; i < 3; i++) await expect(verifier.verify(privateTx)).rejects.toThrow("bb ended");
  });

  test("proofs are kept in the form that `bb verify` reads where that is configured", async () => {
    const keepFilesIn = mkdtempSync(join(folder, "kept-"));
    const backend = { ready: Promise.resolve(), verify: async () => true, close: async () => {} };
    await new BbVerifier(backend, { rules: V4, parallel: 1, keepFilesIn }).verify(publicTx);
    const [own] = readdirSync(keepFilesIn);
    expect(readFileSync(join(keepFilesIn, own, "proof"))).toHaveLength((2784 + 1935) * 32);
    expect(readFileSync(join(keepFilesIn, own, "vk"))).toHaveLength(4064);
  });
});
