/** A method asked for a service that this process does not have: its call is forwarded as a whole. */
export class LiveServiceNeeded extends Error {
  override readonly name = "LiveServiceNeeded";

  constructor(service: string) {
    super(`${service} needs a full node`);
  }
}
