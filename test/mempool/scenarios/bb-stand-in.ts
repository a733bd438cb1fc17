import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes a program that speaks bb's protocol on its input and output and verifies nothing: `verdict` is an expression
 * over `count`, the number of proofs so far, that gives the answer's name and fields, or does something else; `strings`
 * is one for the reference strings, which are taken where it is undefined.
 */
export function bbStandIn(folder: string, name: string, verdict: string, strings = "undefined"): string {
  const path = join(folder, name);
  const msgpackr = import.meta.resolve("msgpackr");
  writeFileSync(
    path,
    `#!${process.execPath}
import fs from "node:fs";
import { Packr, Unpackr } from ${JSON.stringify(msgpackr)};
const packer = new Packr({ useRecords: false }), unpacker = new Unpackr({ useRecords: false });
let received = Buffer.alloc(0), count = 0;
function answer(name) {
  if (name.startsWith("Srs")) {
    const refused = ${strings};
    if (refused !== undefined) return refused;
  }
  if (name !== "ChonkVerify") return [name + "Response", { dummy: 0 }];
  count++;
  return ${verdict};
}
process.stdin.on("data", (chunk) => {
  received = Buffer.concat([received, chunk]);
  while (received.length >= 4 && received.length >= 4 + received.readUInt32LE(0)) {
    const length = received.readUInt32LE(0);
    const [[name]] = unpacker.unpack(received.subarray(4, 4 + length));
    received = received.subarray(4 + length);
    const made = answer(name);
    if (made === undefined) continue;
    const packed = packer.pack(made), framed = Buffer.alloc(4 + packed.length);
    framed.writeUInt32LE(packed.length);
    framed.set(packed, 4);
    process.stdout.write(framed);
  }
});
`,
  );
  chmodSync(path, 0o755);
  return path;
}
