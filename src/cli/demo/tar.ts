import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

const BLOCK = 512;

/** A tar archive is invalid or has an unsupported format. */
export class TarError extends Error {
  readonly offset: number;

  constructor(rule: string, offset: number) {
    super(`tar archive: ${rule} at byte ${offset}`);
    this.name = "TarError";
    this.offset = offset;
  }
}

function textField(header: Uint8Array, at: number, length: number): string {
  const field = Buffer.from(header.subarray(at, at + length));
  const end = field.indexOf(0);
  return field.subarray(0, end < 0 ? length : end).toString("utf8");
}

/**
 * Unpacks the files and folders of a tar archive (ustar, GNU long names) below `folder`. Throws TarError on any other
 * kind of entry.
 */
export function unpackTar(archive: Uint8Array, folder: string): void {
  const root = resolve(folder);
  let longName: string | undefined;
  for (let at = 0; at + BLOCK <= archive.length; ) {
    const header = archive.subarray(at, at + BLOCK);
    if (header.every((byte) => byte === 0)) return;
    const prefix = textField(header, 345, 155);
    const name = longName ?? textField(header, 0, 100);
    const size = Number.parseInt(textField(header, 124, 12).trim() || "0", 8);
    const kind = String.fromCharCode(header[156]);
    const path = resolve(join(root, prefix, name));
    if (path !== root && !path.startsWith(root + sep)) throw new TarError("an entry leaves its folder", at);
    if (!Number.isSafeInteger(size) || at + BLOCK + size > archive.length)
      throw new TarError("an entry is truncated", at);
    longName = undefined;
    if (kind === "L") longName = textField(archive, at + BLOCK, size);
    else if (kind === "5") mkdirSync(path, { recursive: true });
    else if (kind === "0" || kind === "\0") {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, archive.subarray(at + BLOCK, at + BLOCK + size));
    } else throw new TarError(`entry of unknown kind ${JSON.stringify(kind)}`, at);
    at += BLOCK + Math.ceil(size / BLOCK) * BLOCK;
  }
}
