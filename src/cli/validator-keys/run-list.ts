import { resolve } from "node:path";
import { readKeystore } from "../../keystore/load-keystore.ts";
import { validatorFacts, validatorLines } from "./report.ts";

/** Prints the validators of a keystore file or folder, without secrets. Throws KeystoreError. */
export async function runList(path: string, { json }: { json?: boolean }): Promise<void> {
  const keystore = await readKeystore(resolve(path), ({ ...facts }, message) => {
    process.stderr.write(`warning: ${message} ${JSON.stringify(facts)}\n`);
  });
  const facts = await validatorFacts(keystore);
  process.stdout.write(json ? `${JSON.stringify(facts, undefined, 2)}\n` : validatorLines(facts));
}
