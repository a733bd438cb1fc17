/**
 * Writes src/mempool/proofs/data/tx-proof-keys.json from the published circuits: the verification keys of the two
 * circuits that a tx's proof is of, and nothing else. The package is read as data; none of its code runs. Needs npm and
 * tar.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PublishedPackage } from "./published-package.ts";

const PACKAGE = "@aztec/noir-protocol-circuits-types@4.1.2";
const INTEGRITY = "sha512-GtdU+3h3QX0DUcvTKC2/MHcbcOVS//EZ1YqL/YH47bV+saPai83V/Q4+qoLdAFvhTSVOpPNjitSJ51157qJz0Q==";
const KEY_BYTES = 4064;
const OUTPUT = new URL("../src/mempool/proofs/data/tx-proof-keys.json", import.meta.url);

/** A circuit's key in base64, and its hash as the verifying program reports it. */
function verificationKey(published: PublishedPackage, circuit: string): { key: string; hash: string } {
  const artifact = published.text(`artifacts/${circuit}.json`);
  const { verificationKey: found }: { verificationKey: { bytes: string; hash: string } } = JSON.parse(artifact);
  const key = Buffer.from(found.bytes, "hex");
  if (key.length !== KEY_BYTES) throw published.error(circuit, `key must be ${KEY_BYTES} bytes, is ${key.length}`);
  return { key: key.toString("base64"), hash: found.hash };
}

const folder = mkdtempSync(join(tmpdir(), "tx-proof-keys-"));
try {
  const published = new PublishedPackage(PACKAGE, INTEGRITY, folder);
  const keys = {
    source: PACKAGE,
    privateOnly: verificationKey(published, "hiding_kernel_to_rollup"),
    withPublicCalls: verificationKey(published, "hiding_kernel_to_public"),
  };
  writeFileSync(OUTPUT, `${JSON.stringify(keys, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
