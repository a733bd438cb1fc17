import { about, COUNT, record } from "../json/json-schema.ts";

export const GAS = record("Gas", "Amounts of gas.", {
  daGas: about(COUNT, "Data availability gas."),
  l2Gas: about(COUNT, "L2 gas, also called mana."),
});
