/** Release of the reference node whose rules and wire formats this node implements. Peers and wallets compare it. */
export const NETWORK_RELEASE = "4.1.2";
