/** What a bootnode says about itself. */
export interface BootnodeTable {
  /** Text of its node record. */
  readonly enr: string;
  /** Texts of the records that it knows. */
  readonly routingTable: string[];
}
