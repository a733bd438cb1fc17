import type { Core } from "../core/core.ts";
import { contractClassId, publicBytecodeCommitment } from "../core/derive/contract-class.ts";
import { equal, toHex } from "../protocol/bytes.ts";
import {
  type ClassPublished,
  isClassPublished,
  isInstancePublished,
  isInstanceUpdated,
  readClassPublished,
  readInstanceUpdated,
} from "../protocol/contracts/contract-events.ts";
import { DecodeError } from "../protocol/errors.ts";
import type { ContractRules } from "../protocol/generations/contracts.ts";
import type { TxEffect } from "../protocol/tx-effect.ts";

/** Position of a log in its block: tx index, and index among the tx's logs (private ones first). */
interface LogPlace {
  tx: number;
  log: number;
}

/** A contract event that breaks a rule. It registers nothing; the block remains valid. */
export interface RefusedEvent extends LogPlace {
  event: "ContractClassPublished" | "ContractInstancePublished" | "ContractInstanceUpdated";
  rule: string;
}

/** What the contract events of a block register. Plain data, so that it can cross threads. */
export interface ContractEvents {
  /** Requires that the log is the only contract class log of its tx. */
  classes: { id: Uint8Array; tx: number }[];
  instances: (LogPlace & { address: Uint8Array })[];
  updates: (LogPlace & { address: Uint8Array })[];
  refused: RefusedEvent[];
}

/**
 * Reads and checks the contract events of a block (docs/protocol/03-blocks-and-blobs.md#320-contract-events). In a
 * network with valid proofs no event is ever refused; but blobs of a checkpoint that is never proven may contain
 * anything.
 */
export function contractEvents(txs: readonly TxEffect[], core: Core, contracts: ContractRules): ContractEvents {
  const events: ContractEvents = { classes: [], instances: [], updates: [], refused: [] };
  const attempt = (event: RefusedEvent["event"], place: LogPlace, register: () => void) => {
    try {
      register();
    } catch (error) {
      if (!(error instanceof DecodeError)) throw error;
      events.refused.push({ event, ...place, rule: error.rule });
    }
  };
  txs.forEach(({ contractClassLogs, privateLogs, publicLogs }, tx) => {
    for (const log of contractClassLogs.filter((log) => isClassPublished(log, contracts))) {
      attempt("ContractClassPublished", { tx, log: 0 }, () =>
        events.classes.push({ id: checkedClass(log.fields, core), tx }),
      );
    }
    privateLogs.forEach((fields, log) => {
      if (!isInstancePublished(fields)) return;
      attempt("ContractInstancePublished", { tx, log }, () =>
        events.instances.push({ address: checkedInstance(fields, core, contracts), tx, log }),
      );
    });
    publicLogs.forEach((publicLog, i) => {
      if (!isInstanceUpdated(publicLog)) return;
      const log = privateLogs.length + i;
      attempt("ContractInstanceUpdated", { tx, log }, () =>
        events.updates.push({ address: readInstanceUpdated(publicLog.fields).address, tx, log }),
      );
    });
  });
  return events;
}

/** The class id of an event. Throws a DecodeError if the event's parts do not hash to it. */
function checkedClass(fields: Uint8Array, core: Core): Uint8Array {
  const event = readClassPublished(fields);
  const { id } = event;
  const derived = derivedClassId(event, core);
  if (!equal(derived, id)) {
    throw new DecodeError(
      "ContractClassPublished",
      `class id ${toHex(id)} must be that of its parts, ${toHex(derived)}`,
    );
  }
  return id;
}

/** The class id of the parts of an event. */
export function derivedClassId(
  { artifactHash, privateFunctionsRoot, packedBytecode }: Omit<ClassPublished, "id">,
  core: Core,
): Uint8Array {
  const commitment = publicBytecodeCommitment(core, packedBytecode);
  return contractClassId(core, artifactHash, privateFunctionsRoot, commitment);
}

/** The address of an event, if the event's parts derive it. */
function checkedInstance(fields: Uint8Array, core: Core, contracts: ContractRules): Uint8Array {
  const event = contracts.readInstancePublished(fields);
  const derived = contracts.instanceAddress(core, event);
  if (!equal(derived, event.address)) {
    const rule = `address ${toHex(event.address)} must be that of its parts, ${toHex(derived)}`;
    throw new DecodeError("ContractInstancePublished", rule);
  }
  return event.address;
}
