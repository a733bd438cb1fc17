import type { ConnectionDirection, Discv5 } from "@chainsafe/discv5";
import type { ENR, NodeId } from "@chainsafe/enr";
import type { Logger } from "../../telemetry/logger.ts";

/** What the library does not ask by itself. */
interface Discv5Rules {
  /** Called before a request is sent to an address, `host:port`. */
  asks(address: string): void;
  /** The record as the table may have it; undefined if it may not. */
  admissible(record: ENR): ENR | undefined;
  /** Whether the table has room for an admissible record that it does not have yet. */
  hasRoom(record: ENR): boolean;
  /** Whether a record is usable that a node told of; `by` is that node's, if it is known. */
  mayBeTold(record: ENR, by: ENR | undefined): boolean;
}

/**
 * Members of Discv5 11.0.0 that are private in its types and called through the instance, so that they can be replaced
 * before the start.
 */
interface Internals {
  onEstablished(node: unknown, record: ENR, direction: ConnectionDirection, verified: boolean): void;
  discovered(source: NodeId, records: ENR[], lookup: number | undefined): void;
  rpcFailure(...args: unknown[]): void;
  kbuckets: { removeById(id: NodeId): unknown };
}

/**
 * Puts rules between the library and what others say. By itself it takes any record into its table, with any number of
 * one network, hands on records that others made up, and throws in timers on records that it cannot handle. The attacks
 * are in test/p2p/scenarios/hostile-discovery.test.ts.
 */
export function guardDiscv5(discv5: Discv5, rules: Discv5Rules, log: Logger): void {
  const { sessionService } = discv5;
  const sendRequest = sessionService.sendRequest.bind(sessionService);
  sessionService.sendRequest = (contact, request) => {
    const { host, port } = contact.nodeAddress.socketAddr.toOptions();
    rules.asks(`${host}:${port}`);
    sendRequest(contact, request);
  };

  const internals = discv5 as unknown as Internals;
  const { onEstablished, rpcFailure } = internals;
  const discovered = internals.discovered.bind(discv5);

  /** The record as the table may have it; a member that became inadmissible leaves the table. */
  const admissible = (given: ENR): ENR | undefined => {
    const entry = rules.admissible(given);
    const member = discv5.getKadValue(given.nodeId);
    if (entry === undefined && member !== undefined && member.seq < given.seq) {
      internals.kbuckets.removeById(given.nodeId);
    }
    return entry;
  };

  internals.onEstablished = (node, given, direction, verified) => {
    const entry = admissible(given);
    if (entry === undefined) return;
    const known = discv5.getKadValue(entry.nodeId) !== undefined;
    if (known || rules.hasRoom(entry)) onEstablished(node, entry, direction, verified);
  };

  internals.discovered = (source, records, lookup) => {
    const by = discv5.findEnr(source);
    const usable = records.flatMap((found) => {
      // The library has no bucket for the node itself and throws when asked for one.
      if (found.nodeId === discv5.enr.nodeId || !rules.mayBeTold(found, by)) return [];
      // A member's newer record would replace the one in the table.
      return discv5.getKadValue(found.nodeId) === undefined ? found : (admissible(found) ?? []);
    });
    discovered(source, usable, lookup);
  };

  // Called by timers too, where an error would end the process.
  internals.rpcFailure = (...args) => {
    try {
      rpcFailure(...args);
    } catch (error) {
      log.debug({ reason: String(error) }, "a failed discovery request could not be handled: {reason}");
    }
  };
}
