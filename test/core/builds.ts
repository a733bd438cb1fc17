import type { CoreBuild } from "../../src/core/core.ts";

/** Every build of the core. Tests that hash run with each of them. */
export const BUILDS: CoreBuild[] = ["lanes", "integer-lanes", "scalar"];
