import { Command } from "commander";
import { programVersion } from "../process/program-version.ts";
import { benchWitnessCommand } from "./commands/bench-witness.ts";
import { completionCommand } from "./commands/completion.ts";
import { configCommand } from "./commands/config.ts";
import { dbCommand } from "./commands/db.ts";
import { decodeEnrCommand } from "./commands/decode-enr.ts";
import { demoCommand } from "./commands/demo.ts";
import { deployL1ContractsCommand } from "./commands/deploy-l1-contracts.ts";
import { devnetCommand } from "./commands/devnet.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { generateBootnodeEnrCommand } from "./commands/generate-bootnode-enr.ts";
import { generateP2pPrivateKeyCommand } from "./commands/generate-p2p-private-key.ts";
import { keystoreCommand } from "./commands/keystore.ts";
import { migrateHaDbCommand } from "./commands/migrate-ha-db.ts";
import { proveFailedEpochCommand } from "./commands/prove-failed-epoch.ts";
import { startCommand } from "./commands/start.ts";
import { statusCommand } from "./commands/status.ts";
import { generateBlsKeypairCommand, validatorKeysCommand } from "./commands/validator-keys.ts";
import { vmCommand } from "./commands/vm.ts";

/** The command-line interface of svc. Wrong usage ends the process with code 1 and a message on standard error. */
export function program(): Command {
  const svc = new Command("svc");
  return svc
    .description("A rollup node: follows the chain from L1, keeps the world state, answers JSON-RPC")
    .version(programVersion())
    .addCommand(startCommand())
    .addCommand(demoCommand())
    .addCommand(devnetCommand())
    .addCommand(deployL1ContractsCommand())
    .addCommand(statusCommand())
    .addCommand(doctorCommand())
    .addCommand(configCommand())
    .addCommand(generateP2pPrivateKeyCommand())
    .addCommand(generateBootnodeEnrCommand())
    .addCommand(decodeEnrCommand())
    .addCommand(validatorKeysCommand())
    .addCommand(generateBlsKeypairCommand())
    .addCommand(keystoreCommand())
    .addCommand(migrateHaDbCommand())
    .addCommand(dbCommand())
    .addCommand(proveFailedEpochCommand())
    .addCommand(benchWitnessCommand())
    .addCommand(vmCommand())
    .addCommand(completionCommand(svc));
}
