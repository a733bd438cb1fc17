import { totalmem } from "node:os";
import { type Finding, ok, warn } from "./finding.ts";

const GIB = 2 ** 30;
/** A node that follows mainnet's pace takes about a gigabyte; threads for transactions and their proofs come on top. */
const ADVISED_MEMORY = 4 * GIB;

/** Bytes that this process may use: those of its container, if that is less than the machine has. */
function usableMemory(): number {
  const constrained = process.constrainedMemory();
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem();
}

/** The runtime and the machine's memory. */
export function checkMachine(memory = usableMemory()): Finding[] {
  const gib = `${(memory / GIB).toFixed(1)} GiB`;
  return [
    ok("runtime", `Node.js ${process.versions.node} on ${process.platform} ${process.arch}`),
    memory >= ADVISED_MEMORY
      ? ok("memory", gib)
      : warn(
          "memory",
          `${gib}, ${ADVISED_MEMORY / GIB} GiB are advised`,
          "give the machine or the container more memory",
        ),
  ];
}
