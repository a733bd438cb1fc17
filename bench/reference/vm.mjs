/**
 * Runs programs of bench/vm-programs.ts in the reference's native simulator, set up as for block building.
 *
 *   vm.mjs PROGRAMS.json REPEATS
 *
 * The last line of output is JSON: for each program the CPU milliseconds of each repeat and the L2 gas of the calls. A
 * repeat is a whole transaction on one fork; the program named "empty" shows its fixed cost.
 */
import { readFileSync } from "node:fs";
import { BlockNumber } from "@aztec/foundation/branded-types";
import { Fr } from "@aztec/foundation/curves/bn254";
import { createTxForPublicCalls } from "@aztec/simulator/public/fixtures";
import { CppPublicTxSimulator, PublicContractsDB } from "@aztec/simulator/server";
import { PublicSimulatorConfig } from "@aztec/stdlib/avm";
import { AztecAddress } from "@aztec/stdlib/aztec-address";
import { Gas } from "@aztec/stdlib/gas";
import { siloNullifier } from "@aztec/stdlib/hash";
import { PublicCallRequest } from "@aztec/stdlib/kernel";
import { PublicKeys } from "@aztec/stdlib/keys";
import { MerkleTreeId } from "@aztec/stdlib/trees";
import { GlobalVariables, PublicCallRequestWithCalldata } from "@aztec/stdlib/tx";
import { NativeWorldStateService } from "@aztec/world-state/native";

const INSTANCE_REGISTRY = AztecAddress.fromNumber(2);
const PRIVATE_GAS = new Gas(96, 540_000);
const DA_GAS = 200_000;

const address = (value) => AztecAddress.fromField(new Fr(BigInt(value)));

const globals = GlobalVariables.empty();
globals.timestamp = 99_833n;
globals.blockNumber = BlockNumber(42);

const config = PublicSimulatorConfig.from({
  skipFeeEnforcement: true,
  collectCallMetadata: false,
  collectDebugLogs: false,
  collectHints: false,
  collectPublicInputs: false,
  collectStatistics: false,
});

/** A contract source with the contracts of one program. */
const sourceOf = (contracts) => ({
  getBlockNumber: async () => BlockNumber(41),
  getContract: async (at) => {
    const found = contracts.find((contract) => address(contract.address).equals(at));
    return (
      found && {
        version: 1,
        address: at,
        salt: Fr.ZERO,
        deployer: address(found.deployer),
        currentContractClassId: new Fr(found.classId),
        originalContractClassId: new Fr(found.classId),
        initializationHash: new Fr(BigInt(found.initHash)),
        publicKeys: PublicKeys.default(),
      }
    );
  },
  getContractClass: async (id) => {
    const found = contracts.find((contract) => new Fr(contract.classId).equals(id));
    return (
      found && {
        id,
        version: 1,
        artifactHash: Fr.ZERO,
        privateFunctionsRoot: Fr.ZERO,
        packedBytecode: Buffer.from(found.bytecode, "hex"),
        privateFunctions: [],
        utilityFunctions: [],
      }
    );
  },
  getBytecodeCommitment: async () => undefined,
  getDebugFunctionName: async () => undefined,
});

let transactions = 0;

const transactionOf = async ({ calls, gas }) => {
  const requests = await Promise.all(
    calls.map(async ({ address: to, sender, calldata }) => {
      const fields = calldata.map((text) => new Fr(BigInt(text)));
      const request = await PublicCallRequest.fromCalldata(address(sender), address(to), false, fields);
      return new PublicCallRequestWithCalldata(request, fields);
    }),
  );
  const nullifiers = [new Fr(420_000 + transactions++)];
  const limits = new Gas(DA_GAS + PRIVATE_GAS.daGas, gas + PRIVATE_GAS.l2Gas);
  return createTxForPublicCalls(
    { nonRevertible: { nullifiers } },
    [],
    requests,
    undefined,
    AztecAddress.ZERO,
    PRIVATE_GAS,
    globals,
    limits,
  );
};

const cpuMs = () => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const [file, repeats] = process.argv.slice(2);
const results = {};
for (const program of JSON.parse(readFileSync(file, "utf8"))) {
  const state = await NativeWorldStateService.tmp();
  const times = [];
  let gas = 0;
  let code = 0;
  for (let i = 0; i <= Number(repeats); i++) {
    const fork = await state.fork();
    for (const contract of program.contracts) {
      const nullifier = await siloNullifier(INSTANCE_REGISTRY, new Fr(contract.address));
      await fork.sequentialInsert(MerkleTreeId.NULLIFIER_TREE, [nullifier.toBuffer()]);
    }
    const simulator = new CppPublicTxSimulator(
      fork,
      new PublicContractsDB(sourceOf(program.contracts)),
      globals,
      config,
    );
    const tx = await transactionOf(program);
    const started = cpuMs();
    const result = await simulator.simulate(tx);
    // The first run loads the code and is not counted.
    if (i > 0) times.push(cpuMs() - started);
    gas = Number(result.gasUsed.publicGas.l2Gas);
    code = result.revertCode.getCode?.() ?? 0;
    await fork.close();
  }
  await state.close();
  results[program.name] = { times, gas, code };
}
console.log(JSON.stringify(results));
