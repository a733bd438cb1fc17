/** Release of the network whose rules and wire formats this node follows; peers and wallets compare it. */
export const NETWORK_RELEASE = "4.1.2";
