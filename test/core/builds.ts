import type { CoreBuild } from "../../src/core/core.ts";

/** Every build of the core; what hashes runs under each of them. */
export const BUILDS: CoreBuild[] = ["lanes", "integer-lanes", "scalar"];
