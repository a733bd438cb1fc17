/** Writes docs/api.md from the registries of methods; with --check only compares. */
import { adminKeys } from "../src/node/settings/admin-keys.ts";
import { V4 } from "../src/protocol/generations/v4/v4.ts";
import { adminRegistry } from "../src/rpc/admin/admin-registry.ts";
import type { AdminServices } from "../src/rpc/admin/ports/admin-services.ts";
import { bootnodeRegistry } from "../src/rpc/methods/node/bootnode.ts";
import { provingAgentsRegistry } from "../src/rpc/methods/proving/proving-agents.ts";
import { provingBrokerRegistry } from "../src/rpc/methods/proving/proving-broker.ts";
import { apiDocument } from "../src/rpc/openrpc/api-document.ts";
import { openRpcDocument } from "../src/rpc/openrpc/document.ts";
import type { BootnodeTable } from "../src/rpc/ports/bootnode-table.ts";
import type { ProvingBrokerPort } from "../src/rpc/ports/proving-broker.ts";
import { publicRegistry } from "../src/rpc/server/public-registry.ts";
import { generatedDocument } from "./generated-document.ts";
import { PLACEHOLDER_SERVICES } from "./placeholder-services.ts";

/** No method is called, so placeholders stand for the services. */
const services = new Proxy({}, { get: (_, name) => (name === "config" ? { keys: adminKeys() } : {}) });

const registry = publicRegistry(PLACEHOLDER_SERVICES);
const admin = adminRegistry(services as AdminServices, V4.api);
const bootnode = bootnodeRegistry(services as BootnodeTable);
const broker = provingBrokerRegistry(services as ProvingBrokerPort, { replay: true });
const agents = provingAgentsRegistry([{ status: { status: "stopped" } }]);
const wanted = apiDocument([
  { title: "Public listener: `svc_`", document: openRpcDocument(registry, ["svc"]) },
  { title: "Public listener: `node_`", document: openRpcDocument(registry, ["node"]) },
  { title: "Public listener: `p2p_`", document: openRpcDocument(registry, ["p2p"]) },
  { title: "Public listener of a node that proves: `prover_`", document: openRpcDocument(registry, ["prover"]) },
  { title: "Admin listener: `svcAdmin_`", document: openRpcDocument(admin, ["svcAdmin"]) },
  { title: "Admin listener: `nodeAdmin_`", document: openRpcDocument(admin, ["nodeAdmin"]) },
  {
    title: "Admin listener of a local network: `nodeDebug_`, `evm_` and `anvil_`",
    document: openRpcDocument(admin, ["nodeDebug", "evm", "anvil"]),
  },
  { title: "Listener of a bootnode: `bootstrap_`", document: openRpcDocument(bootnode, ["bootstrap"]) },
  { title: "Listener of a proving broker: `proverBroker_`", document: openRpcDocument(broker, ["proverBroker"]) },
  { title: "Listener of a proving agent: `agent_`", document: openRpcDocument(agents, ["agent"]) },
]);

generatedDocument("api.md", wanted, "the registries of methods");
