import { ATTACKS } from "./attacks.ts";

/** Runs one attack until the process is killed. Arguments: attack name, port, number of clients. */
const [name, port, clients] = process.argv.slice(2);
const attack = ATTACKS.find((one) => one.name === name);
if (attack === undefined) throw new RangeError(`no attack is named ${name}`);
attack.start(Number(port), Number(clients));
