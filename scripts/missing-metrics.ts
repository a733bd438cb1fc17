/** Why the node does not have a metric of the release: the longest prefix of its name counts. */
export const MISSING_METRICS: Readonly<Record<string, string>> = {
  "aztec.archiver.block_proposal_tx_target_count":
    "not counted: a `propose` call is found in any transaction, whatever contract it was sent to",
  "aztec.archiver.rollup_proof":
    "proof events of L1 are not read; `aztec.archiver.checkpoint_height` has the status proven",
  "aztec.blob_sink.": "the release declares it and never writes it",
  "aztec.blob_sink.archive.": "not counted; the log names the source that gave a blob, and each that did not",
  "aztec.circuit.": "of circuits that are executed; agents with simulated proofs execute none",
  "aztec.circuit.gate_count": "the release declares it and never writes it",
  "aztec.circuit.proving.input_size": "the release declares it and never writes it",
  "aztec.circuit.simulation.input_size": "the release declares it and never writes it",
  "aztec.circuit.simulation.output_size": "the release declares it and never writes it",
  "aztec.fisherman.fee_analysis.": "this node does not analyse what others pay for blobs; a fisherman checks proposals",
  "aztec.ivc_verifier.time": "the verifier is a program, whose time with its files is `aztec.ivc_verifier.total_time`",
  "aztec.mempool.attestations_mined_delay": "an attestation does not wait for a block: it is for one slot",
  "aztec.mempool.attestations_size": "attestations have a fixed size of 516 bytes",
  "aztec.mempool.tx_pool_v2.already_protected_add": "the release declares it and never writes it",
  "aztec.mempool.tx_pool_v2.duplicate_add": "the release declares it and never writes it",
  "aztec.mempool.tx_pool_v2.metadata_memory": "not estimated; `nodejs.memory.v8_heap.usage` has it",
  "aztec.mempool.tx_pool_v2.missing_previously_evicted":
    "hashes of evicted transactions are not kept; `aztec.mempool.tx_pool_v2.missing_on_protect` counts all",
  "aztec.p2p.gossip.agg_message_latency": "messages of the network do not say when they were sent",
  "aztec.p2p.gossip.message_latency": "messages of the network do not say when they were sent",
  "aztec.prover_node.": "blob commitments are read from L1, and checkpoints are executed as a whole",
  "aztec.prover_node.rewards_": "not read from L1; the rewards of a prover are on the rollup contract",
  "aztec.proving_orchestrator.": "inputs are made when a job is enqueued; `svc.proving_agent.job_duration` is its time",
  "aztec.proving_queue.agent.idle": "the release declares it and never writes it",
  "aztec.proving_queue.db.": "the release declares it and never writes it",
  "aztec.proving_queue.job_size": "the release declares it and never writes it",
  "aztec.public_executor.simulation_bytecode_size": "the release declares it and never writes it",
  "aztec.public_executor.simulation_total_instructions":
    "the virtual machine meters mana, and does not count instructions",
  "aztec.public_executor.tx_hashing": "the release never records it; transactions are hashed once, when they arrive",
  "aztec.public_processor.deploy_bytecode_size":
    "not measured; published classes are in the store's index of contracts",
  "aztec.sequencer.current_slot_rewards": "not read from L1; the rewards of a coinbase are on the rollup contract",
  "aztec.tx_collector.duration_per":
    "several sources are asked at once; `aztec.tx_collector.txs_requested_delay` is their time",
  "aztec.world_state.critical_error_count":
    "there is no separate process that could fail: a store that fails ends the node",
  "aztec.world_state.db_size": "the release declares it and never writes it",
  "aztec.world_state.fork.duration": "the release declares it and never writes it",
  "aztec.world_state.merkle_tree_size": "the release declares it and never writes it",
  "aztec.world_state.request_time": "there are no requests to another process: trees are read where they are needed",
  "aztec.world_state.sync.duration": "the release declares it and never writes it",
};

/** Undefined if no reason is given. */
export function whyMissing(name: string): string | undefined {
  const [prefix] = Object.keys(MISSING_METRICS)
    .filter((each) => name.startsWith(each))
    .sort((a, b) => b.length - a.length);
  return prefix === undefined ? undefined : MISSING_METRICS[prefix];
}
