/**
 * Writes src/mempool/proofs/data/tx-proof-keys.json from the published circuits: the verification keys of the two
 * circuits that a tx's proof is of, and nothing else. The package is read as data; none of its code runs. Needs npm and
 * tar.
 */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const PACKAGE = "@aztec/noir-protocol-circuits-types@4.1.2";
const INTEGRITY = "sha512-GtdU+3h3QX0DUcvTKC2/MHcbcOVS//EZ1YqL/YH47bV+saPai83V/Q4+qoLdAFvhTSVOpPNjitSJ51157qJz0Q==";
const KEY_BYTES = 4064;
const OUTPUT = new URL("../src/mempool/proofs/data/tx-proof-keys.json", import.meta.url);

class PackageError extends Error {
  readonly subject: string;
  constructor(subject: string, rule: string) {
    super(`${PACKAGE}, ${subject}: ${rule}`);
    this.name = "PackageError";
    this.subject = subject;
  }
}

function packed(folder: string): string {
  const options: ExecFileSyncOptionsWithStringEncoding = {
    cwd: folder,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  };
  const file = execFileSync("npm", ["pack", "--silent", PACKAGE], options).trim();
  const path = join(folder, file);
  const integrity = `sha512-${createHash("sha512").update(readFileSync(path)).digest("base64")}`;
  if (integrity !== INTEGRITY) throw new PackageError(file, `integrity must be ${INTEGRITY}, is ${integrity}`);
  return path;
}

/** A circuit's key in base64, and its hash as the verifying program reports it. */
function verificationKey(archive: string, circuit: string): { key: string; hash: string } {
  const options = { encoding: "utf8", maxBuffer: 2 ** 27 } as const;
  const artifact = execFileSync("tar", ["-xzOf", archive, `package/artifacts/${circuit}.json`], options);
  const { verificationKey: found }: { verificationKey: { bytes: string; hash: string } } = JSON.parse(artifact);
  const key = Buffer.from(found.bytes, "hex");
  if (key.length !== KEY_BYTES) throw new PackageError(circuit, `key must be ${KEY_BYTES} bytes, is ${key.length}`);
  return { key: key.toString("base64"), hash: found.hash };
}

const folder = mkdtempSync(join(tmpdir(), "tx-proof-keys-"));
try {
  const archive = packed(folder);
  const keys = {
    source: PACKAGE,
    privateOnly: verificationKey(archive, "hiding_kernel_to_rollup"),
    withPublicCalls: verificationKey(archive, "hiding_kernel_to_public"),
  };
  writeFileSync(OUTPUT, `${JSON.stringify(keys, null, 2)}\n`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
