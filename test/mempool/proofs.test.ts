import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { txHash } from "../../src/core/derive/tx-hash.ts";
import { loadCore } from "../../src/core/load-core.ts";
import { BbProgramError, findBbProgram } from "../../src/mempool/proofs/bb-program.ts";
import { BbVerifier, proofFile, proofKey } from "../../src/mempool/proofs/bb-verifier.ts";
import {
  missingVerifier,
  ProofQueueFullError,
  ProofVerifierMissingError,
} from "../../src/mempool/proofs/proof-verifier.ts";
import { SEPARATOR } from "../../src/protocol/constants.ts";
import { recordedTxs } from "../protocol/recorded-txs.ts";

const recorded = recordedTxs().map(({ tx }) => tx);
const [privateTx, publicTx] = [0, 1].map((form) => recorded.find((tx) => tx.data[0] === form) ?? recorded[0]);
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-bb-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A program in place of the real verifier. */
function program(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

describe("program", () => {
  test("a verifying program is probed before it is trusted", async () => {
    const path = program("works", 'echo "4.1.2"');
    expect(await findBbProgram(path)).toEqual({ path, version: "4.1.2" });
    await expect(findBbProgram(program("fails", "echo wrong machine; exit 1"))).rejects.toThrow(
      /does not run.*wrong machine/,
    );
    await expect(findBbProgram(join(folder, "absent"))).rejects.toThrow(/is not there/);
  });

  test("a verifying program is reported missing if neither package nor path leads to one", async () => {
    await expect(findBbProgram(undefined)).rejects.toThrow(/neither BB_BINARY_PATH is set nor the package/);
    const refused = missingVerifier("there is none").verify(privateTx);
    await expect(refused).rejects.toThrow(ProofVerifierMissingError);
    await expect(refused).rejects.toThrow("this node cannot check proofs of transactions: there is none");
  });
});

describe("verification", () => {
  test("the public inputs of a verification are those that the tx's hash covers", () => {
    const core = loadCore();
    for (const tx of [privateTx, publicTx]) {
      const file = proofFile(tx);
      const inputs = file.subarray(0, file.length - 1935 * 32);
      const separator = tx.data[0] === 0 ? SEPARATOR.PRIVATE_TX_HASH : SEPARATOR.PUBLIC_TX_HASH;
      expect(Buffer.from(core.hashWithSeparator(separator, inputs)).equals(txHash(core, tx.data))).toBe(true);
      expect(inputs).toHaveLength((tx.data[0] === 0 ? 1281 : 2784) * 32);
    }
    expect(proofKey(privateTx.data)).toHaveLength(4064);
    expect(Buffer.from(proofKey(privateTx.data)).equals(proofKey(publicTx.data))).toBe(false);
  });

  test("the exit code of the verifying program is the verdict, and its files are removed", async () => {
    const check =
      '[ "$1 $2 $3 $4 $6" = "verify --scheme chonk -p -k" ] && [ $(wc -c < $5) = $EXPECTED ] && [ $(wc -c < $7) = 4064 ]';
    const path = program("sizes", `EXPECTED=${(1281 + 1935) * 32}\n${check}`);
    const verifier = new BbVerifier({ program: path, parallel: 2, threads: 1, workingDirectory: folder });
    expect(await verifier.verify(privateTx)).toBe(true);
    expect(await verifier.verify(publicTx)).toBe(false);
    expect(readdirSync(folder).filter((name) => name.startsWith("svc-proof-"))).toEqual([]);
  });

  test("a verifying program that is killed or hangs gives no verdict", async () => {
    const killed = new BbVerifier({ program: program("killed", "kill -9 $$"), parallel: 1, threads: 1 });
    await expect(killed.verify(privateTx)).rejects.toThrow(BbProgramError);
    const hangs = new BbVerifier({ program: program("hangs", "exec sleep 30"), parallel: 1, threads: 1, limitMs: 50 });
    await expect(hangs.verify(privateTx)).rejects.toThrow(/no verdict/);
  });

  test("a limited number of verifications run, a limited number wait, and the next is refused", async () => {
    const slots = join(folder, "slots");
    mkdirSync(slots);
    // Only one process can create a folder. Each holds one of two while it runs, and fails if it gets neither.
    const path = program(
      "slow",
      `for slot in 1 2; do mkdir ${slots}/$slot 2>/dev/null && sleep 0.2 && rmdir ${slots}/$slot && exit 0; done; exit 1`,
    );
    const verifier = new BbVerifier({
      program: path,
      parallel: 2,
      threads: 1,
      mostWaiting: 3,
      workingDirectory: folder,
    });
    const verdicts = Array.from({ length: 6 }, () => verifier.verify(privateTx).catch((error: unknown) => error));
    const outcomes = await Promise.all(verdicts);
    expect(outcomes.slice(0, 5)).toEqual([true, true, true, true, true]);
    expect(outcomes[5]).toBeInstanceOf(ProofQueueFullError);
    expect(await verifier.verify(privateTx)).toBe(true);
    await verifier.close();
  });
});
