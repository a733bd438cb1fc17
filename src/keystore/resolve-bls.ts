import { readFileSync } from "node:fs";
import { fromHex } from "../protocol/bytes.ts";
import { keyFileRule } from "./accounts.ts";
import { BlsKey } from "./bls-key.ts";
import { decryptBlsKeyFile } from "./bls-key-file.ts";
import { KeystoreError } from "./errors.ts";
import type { BlsSpec } from "./file-types.ts";

/** The BLS key of an attester, read from its encrypted file if it has one. Throws KeystoreError. */
export async function resolveBlsKey(spec: BlsSpec): Promise<BlsKey> {
  if (spec.kind === "key") {
    try {
      return new BlsKey(fromHex(spec.key.reveal()));
    } catch {
      throw new KeystoreError([{ ...spec.at, rule: "must be from 1 to the order of BN254's groups" }]);
    }
  }
  const { path, password, at } = spec;
  try {
    return await decryptBlsKeyFile(readFileSync(path, "utf8"), password.reveal());
  } catch (error) {
    throw new KeystoreError([{ ...at, rule: `names ${path}, which ${keyFileRule(error)}` }], { cause: error });
  }
}
