import { encodeArray, encodeText } from "../../codecs/json/encoder.ts";
import type { BootnodeTable } from "../../ports/bootnode-table.ts";
import { method, Registry } from "../../registry/registry.ts";

/** Every method of a bootnode (docs/protocol/10-peers.md#105-bootnode). */
export function bootnodeRegistry(bootnode: BootnodeTable): Registry {
  return new Registry([
    method({
      name: "getEncodedEnr",
      summary: "Text of the bootnode's node record",
      params: [],
      handle: () => bootnode.enr,
      encode: { bootstrap: encodeText },
    }),
    method({
      name: "getRoutingTable",
      summary: "Texts of the node records in the routing table",
      params: [],
      handle: () => bootnode.routingTable,
      encode: { bootstrap: encodeArray(encodeText) },
    }),
  ]);
}
