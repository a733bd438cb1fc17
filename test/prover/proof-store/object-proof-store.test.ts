import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, expect, test } from "vitest";
import { outputJson } from "../../../src/prover/jobs/stored-json.ts";
import { ObjectProofStore } from "../../../src/prover/proof-store/object-proof-store.ts";
import { openObjectStore } from "../../../src/storage/objects/open-store.ts";
import { recordedJobs } from "../../world/prover/recorded-jobs.ts";

const [job] = recordedJobs().binary;
const { signal } = new AbortController();
let folder: string;
let root: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-proofs-"));
  root = `file://${folder}`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const storeAt = (uri: string) => new ObjectProofStore(uri, openObjectStore(uri));

/** Stores an input as a prover node does. Returns its URI. */
function stored(content: Uint8Array): string {
  const path = join(folder, "inputs", job.name, job.id);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return `${root}/inputs/${job.name}/${job.id}`;
}

test.each([
  ["as they are", (bytes: Uint8Array) => bytes],
  ["compressed", (bytes: Uint8Array) => gzipSync(bytes)],
])("a proof store in a folder gives inputs that are stored %s, with the type in their name", async (_, form) => {
  const { type, input } = await storeAt(root).loadInput(stored(form(job.input)), signal);
  expect(type).toBe(job.type);
  expect(Buffer.compare(input, job.input)).toBe(0);
});

test("a proof store in a folder keeps an output where its URI says", async () => {
  const uri = await storeAt(`${root}/`).saveOutput(job.id, job.type, job.output, signal);
  expect(uri).toBe(`${root}/outputs/${job.name}/${job.id}.json`);
  expect(readFileSync(fileURLToPath(uri), "utf8")).toBe(outputJson(job.type, job.output));
});

test("a proof store in a folder keeps no output under an id that is a path", async () => {
  await expect(storeAt(root).saveOutput("../../x", job.type, job.output, signal)).rejects.toThrow(
    "job.id: must be <epoch>:<TYPE>:<SHA-256>",
  );
});

test.each([
  ["that is missing", () => `${root}/inputs/${job.name}/1`, "the proof store has no inputs/"],
  ["of another store", () => "file:///elsewhere/inputs/PARITY_BASE/1", "of another proof store than this process uses"],
  ["of an unknown type", () => `${root}/inputs/ROLLUP/1`, "inputsUri: must be inputs/<TYPE>/<id>"],
  ["outside of the folder", () => `${root}/inputs/../../secret`, "must be inputs/<TYPE>/<id> below the proof store"],
  ...["%2e%2e", "..", ".%2E", "..\\..", "%5c.."].map((segment): [string, () => string, string] => [
    `that leaves the folder by ${segment}`,
    () => `${root}/inputs/PARITY_BASE/${segment}/secret`,
    "must be inputs/<TYPE>/<id> below the proof store",
  ]),
  ["that is no gzip", () => stored(Uint8Array.of(0x1f, 0x8b, 1)), "stored input: must be gzip"],
])("a proof store in a folder says what is wrong with an input %s", async (_, uri, message) => {
  await expect(storeAt(root).loadInput(uri(), signal)).rejects.toThrow(message);
});
