/**
 * Release whose rules and wire formats this node implements, of those that share generation v4
 * (docs/protocol/14-releases.md#142-what-clients-see). The network's own clients and nodes only show it; a node's
 * version check compares it with the newest one.
 */
export const NETWORK_RELEASE = "4.3.1";
