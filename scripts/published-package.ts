/** A package of the registry that is read as data; none of its code runs. Needs npm and tar. */
import { type ExecFileSyncOptionsWithStringEncoding, execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Thrown if a package is not the one that was meant, or lacks something. */
export class PackageError extends Error {
  readonly subject: string;
  constructor(packageName: string, subject: string, rule: string, options?: ErrorOptions) {
    super(`${packageName}, ${subject}: ${rule}`, options);
    this.name = "PackageError";
    this.subject = subject;
  }
}

/** The archive of one version of a package. */
export class PublishedPackage {
  /** Name and version, as in `@scope/name@1.2.3`. */
  readonly name: string;
  readonly #archive: string;

  /** Fetches a package into a folder. Throws a PackageError if its archive has another integrity (as in lock files). */
  constructor(name: string, integrity: string, folder: string, npmFlags: readonly string[] = []) {
    const options: ExecFileSyncOptionsWithStringEncoding = {
      cwd: folder,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    };
    const file = execFileSync("npm", ["pack", "--silent", ...npmFlags, name], options).trim();
    this.name = name;
    this.#archive = join(folder, file);
    const found = `sha512-${createHash("sha512").update(readFileSync(this.#archive)).digest("base64")}`;
    if (found !== integrity) throw this.error(file, `integrity must be ${integrity}, is ${found}`);
  }

  error(subject: string, rule: string): PackageError {
    return new PackageError(this.name, subject, rule);
  }

  /** Text of a file of the package. */
  text(path: string): string {
    const options = { encoding: "utf8", maxBuffer: 2 ** 27 } as const;
    return execFileSync("tar", ["-xzOf", this.#archive, `package/${path}`], options);
  }

  /** Unpacks files to `package/` in a folder. */
  unpack(paths: readonly string[], folder: string): void {
    execFileSync("tar", ["-xzf", this.#archive, "-C", folder, ...paths.map((path) => `package/${path}`)]);
  }
}
