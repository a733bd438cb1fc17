import type { Attack } from "./attack.ts";
import { CONNECTION_ATTACKS } from "./connections.ts";
import { CONTROL_ATTACKS } from "./gossip-control.ts";
import { FRAME_ATTACKS } from "./gossip-frames.ts";
import { MESSAGE_ATTACKS } from "./gossip-messages.ts";
import { IDENTIFY_ATTACKS } from "./identity.ts";
import { MUXER_ATTACKS } from "./muxer.ts";
import { REQUEST_ATTACKS } from "./requests.ts";

/** Besides these, test/p2p/discovery attacks the discovery of nodes over UDP. */
export const ATTACKS: readonly Attack[] = [
  ...MESSAGE_ATTACKS,
  ...FRAME_ATTACKS,
  ...CONTROL_ATTACKS,
  ...REQUEST_ATTACKS,
  ...MUXER_ATTACKS,
  ...IDENTIFY_ATTACKS,
  ...CONNECTION_ATTACKS,
];
