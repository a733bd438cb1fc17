import type { Generation } from "../generation.ts";
import { API } from "./api.ts";
import { CIRCUITS } from "./circuits.ts";
import { CONSENSUS } from "./consensus.ts";
import { CONTRACTS } from "./contracts.ts";
import { EXECUTION } from "./execution.ts";
import { GENESIS } from "./genesis.ts";
import { HASHING } from "./hashing.ts";
import { HEADERS } from "./headers.ts";
import { L1 } from "./l1.ts";
import { TRANSACTIONS } from "./transactions.ts";

/** The release line 5.0 to 5.2. */
export const V5: Generation = {
  name: "v5",
  hashing: HASHING,
  genesis: GENESIS,
  contracts: CONTRACTS,
  headers: HEADERS,
  transactions: TRANSACTIONS,
  execution: EXECUTION,
  consensus: CONSENSUS,
  circuits: CIRCUITS,
  l1: L1,
  api: API,
};
