import { type Dashboard, lines, number } from "./panel.ts";

const HEIGHT = 'aztec_archiver_block_height{$of,aztec_status=""}';
const RPC_RATE = "rate(svc_rpc_requests_total{$of}[$__rate_interval])";
const PEERS = { needs: "peers" } as const;
const VALIDATOR = { needs: "validator" } as const;
const CALLS = { needs: "rpc calls" } as const;

const operator: Dashboard = {
  id: "svc-operator",
  title: "svc: operator",
  rows: {
    "Is it well": [
      number("Answers", {
        unit: "none",
        meaning: "1: the metrics port answers.",
        queries: { "{{instance}}": "up{$of}" },
      }),
      number("Block", { unit: "none", meaning: "Latest block.", queries: { "{{instance}}": HEIGHT } }),
      number("Age of the block", {
        unit: "s",
        meaning: "Time since the latest block.",
        queries: { "{{instance}}": "svc_sync_block_age_seconds{$of}" },
      }),
      number("Checkpoints behind L1", {
        unit: "none",
        meaning: "Checkpoints that L1 has and the node has not.",
        queries: {
          "{{instance}}":
            'svc_sync_target_checkpoint{$of} - ignoring (aztec_status) aztec_archiver_checkpoint_height{$of,aztec_status=""}',
        },
      }),
      number("Age of L1", {
        unit: "s",
        meaning: "Time since the latest L1 block that was processed.",
        queries: { "{{instance}}": "svc_sync_l1_age_seconds{$of}" },
      }),
      number("Peers", {
        unit: "none",
        meaning: "Connected peers.",
        queries: { "{{instance}}": "aztec_peer_manager_peer_count_peers{$of}" },
        ...PEERS,
      }),
    ],
    "Process and machine": [
      lines("Memory", {
        unit: "bytes",
        meaning: "Resident memory, the heap of the node's thread, and buffers.",
        queries: {
          "{{instance}} resident": "process_memory_usage{$of}",
          "{{instance}} heap": "nodejs_memory_v8_heap_usage{$of}",
          "{{instance}} buffers": "nodejs_memory_array_buffer_usage{$of}",
        },
      }),
      lines("Share of the memory", {
        unit: "percentunit",
        meaning: "Resident memory of what the process may use.",
        queries: { "{{instance}}": "process_memory_usage{$of} / svc_process_memory_limit_bytes{$of}" },
      }),
      lines("CPU", {
        unit: "short",
        meaning: "Cores in use, all threads together.",
        queries: { "{{instance}}": "sum by (instance) (rate(process_cpu_time_seconds_total{$of}[$__rate_interval]))" },
      }),
      lines("Event loop", {
        unit: "ns",
        meaning: "Delay of the node's thread.",
        queries: {
          "{{instance}} p99": "nodejs_eventloop_delay_p99_nanoseconds{$of}",
          "{{instance}} p50": "nodejs_eventloop_delay_p50_nanoseconds{$of}",
        },
      }),
      lines("Node's thread busy", {
        unit: "percentunit",
        meaning: "Share of time in which the node's thread worked.",
        queries: { "{{instance}}": "nodejs_eventloop_utilization{$of}" },
      }),
      lines("Garbage collection", {
        unit: "percentunit",
        meaning: "Share of time that garbage collection took of the node's thread.",
        queries: { "{{instance}} {{kind}}": "rate(svc_gc_duration_seconds_sum{$of}[$__rate_interval])" },
      }),
    ],
    Stores: [
      lines("Size", {
        unit: "bytes",
        meaning: "Bytes of the stores' pages in use.",
        queries: { "{{instance}} {{aztec_db_type}}": "aztec_db_used_size_bytes{$of}" },
      }),
      lines("Share of the map", {
        unit: "percentunit",
        meaning: "Bytes in use of the size up to which a store may grow.",
        queries: { "{{instance}} {{aztec_db_type}}": "aztec_db_used_size_bytes{$of} / aztec_db_map_size_bytes{$of}" },
      }),
      lines("Free disk", {
        unit: "bytes",
        meaning: "Free space on the disk of each store.",
        queries: { "{{instance}} {{aztec_db_type}}": "svc_store_disk_free_bytes{$of}" },
      }),
      lines("Free pages", {
        unit: "short",
        meaning: "Pages of a store's file that wait to be used again.",
        queries: { "{{instance}} {{aztec_db_type}}": "svc_store_free_pages{$of}" },
      }),
      lines("Largest tables", {
        unit: "bytes",
        meaning: "The eight largest tables of the stores.",
        queries: { "{{instance}} {{table}}": "topk by (instance) (8, svc_store_table_size_bytes{$of})" },
      }),
      lines("Rows", {
        unit: "short",
        meaning: "Rows of the stores.",
        queries: { "{{instance}} {{aztec_db_type}}": "aztec_db_num_items{$of}" },
      }),
    ],
    "L1 endpoints": [
      lines("Calls", {
        unit: "reqps",
        meaning: "Calls to each endpoint by outcome.",
        queries: {
          "{{endpoint}} {{outcome}}": "sum by (endpoint, outcome) (rate(svc_l1_calls_total{$of}[$__rate_interval]))",
        },
      }),
      lines("Failed calls", {
        unit: "percentunit",
        meaning: "Share of the calls that were not answered: unreachable, too slow, rate-limited or nonsense.",
        queries: {
          "{{endpoint}}":
            '1 - sum by (endpoint) (rate(svc_l1_calls_total{$of,outcome=~"ok|rpc-error"}[$__rate_interval])) / sum by (endpoint) (rate(svc_l1_calls_total{$of}[$__rate_interval]))',
        },
      }),
      lines("Time of calls", {
        unit: "s",
        meaning: "95th percentile by endpoint.",
        queries: {
          "{{endpoint}}":
            "histogram_quantile(0.95, sum by (endpoint, le) (rate(svc_l1_call_duration_seconds_bucket{$of}[$__rate_interval])))",
        },
      }),
    ],
    Pool: [
      lines("Transactions", {
        unit: "short",
        meaning: "Transactions of the pool by state.",
        queries: { "{{instance}} {{aztec_status}}": "aztec_mempool_tx_count{$of}" },
      }),
      lines("Taken and refused", {
        unit: "short",
        meaning: "Transactions per minute that the pool took, or did not take.",
        queries: {
          "{{instance}} taken": "rate(aztec_mempool_tx_added_count{$of}[$__rate_interval]) * 60",
          "{{instance}} rejected": "rate(aztec_mempool_tx_pool_v2_rejected_count{$of}[$__rate_interval]) * 60",
          "{{instance}} ignored": "rate(aztec_mempool_tx_pool_v2_ignored_count{$of}[$__rate_interval]) * 60",
        },
      }),
      lines("Evicted", {
        unit: "short",
        meaning: "Transactions per minute that left the pool without being final, by reason.",
        queries: {
          "{{aztec_mempool_eviction_reason}}":
            "sum by (aztec_mempool_eviction_reason) (rate(aztec_mempool_tx_pool_v2_evicted_count{$of}[$__rate_interval])) * 60",
        },
      }),
    ],
  },
};

const sync: Dashboard = {
  id: "svc-sync",
  title: "svc: sync",
  rows: {
    Heights: [
      lines("Blocks", {
        unit: "none",
        meaning: "Latest, proven and finalized block.",
        queries: { "{{instance}} {{aztec_status}}": "aztec_archiver_block_height{$of}" },
      }),
      lines("Checkpoints", {
        unit: "none",
        meaning: "Latest, proven and finalized checkpoint, and the latest on L1.",
        queries: {
          "{{instance}} {{aztec_status}}": "aztec_archiver_checkpoint_height{$of}",
          "{{instance}} on L1": "svc_sync_target_checkpoint{$of}",
        },
      }),
      lines("L1 block", {
        unit: "none",
        meaning: "Latest L1 block that was seen, and that was processed.",
        queries: {
          "{{instance}} seen": "aztec_l1_block_height{$of}",
          "{{instance}} processed": "aztec_archiver_l1_block_height{$of}",
        },
      }),
      lines("Ages", {
        unit: "s",
        meaning: "Age of the latest block, and of the latest processed L1 block.",
        queries: {
          "{{instance}} block": "svc_sync_block_age_seconds{$of}",
          "{{instance}} L1": "svc_sync_l1_age_seconds{$of}",
        },
      }),
    ],
    Work: [
      lines("Blocks stored", {
        unit: "short",
        meaning: "Blocks per minute.",
        queries: { "{{instance}}": "rate(aztec_archiver_block_sync_count{$of}[$__rate_interval]) * 60" },
      }),
      lines("Stages", {
        unit: "percentunit",
        meaning: "Share of time of each stage; fetches overlap.",
        queries: { "{{instance}} {{stage}}": "rate(svc_sync_work_seconds_total{$of}[$__rate_interval])" },
      }),
      lines("Blocks removed", {
        unit: "short",
        meaning: "Times that blocks were removed, by reason.",
        queries: { "{{instance}} {{reason}}": "increase(svc_sync_removals_total{$of}[$__rate_interval])" },
      }),
    ],
    "Blocks and trees": [
      lines("Transactions per block", {
        unit: "short",
        meaning: "Mean since the start.",
        queries: {
          "{{instance}}": "aztec_archiver_block_tx_count_sum{$of} / aztec_archiver_block_tx_count_count{$of}",
        },
      }),
      lines("Mana per block", {
        unit: "short",
        meaning: "Mean of millions of mana, since the start.",
        queries: {
          "{{instance}}":
            "aztec_archiver_block_mana_count_Mmana_sum{$of} / aztec_archiver_block_mana_count_Mmana_count{$of}",
        },
      }),
      lines("Leaves", {
        unit: "short",
        meaning: "Leaves of the trees.",
        queries: { "{{instance}} {{aztec_merkle_tree_name}}": "aztec_world_state_tree_size{$of}" },
      }),
      lines("Kept states", {
        unit: "short",
        meaning: "Blocks whose state of the trees is kept.",
        queries: {
          "{{instance}}":
            "max by (instance) (aztec_world_state_unfinalized_height{$of}) - max by (instance) (aztec_world_state_oldest_block{$of})",
        },
      }),
    ],
  },
};

const rpc: Dashboard = {
  id: "svc-rpc",
  title: "svc: RPC",
  rows: {
    Calls: [
      lines("Calls by outcome", {
        unit: "reqps",
        meaning: "Calls per second.",
        queries: { "{{instance}} {{outcome}}": `sum by (instance, outcome) (${RPC_RATE})` },
        ...CALLS,
      }),
      lines("Calls by method", {
        unit: "reqps",
        meaning: "The ten methods that are called most.",
        queries: { "{{method}}": `topk(10, sum by (method) (${RPC_RATE}))` },
        ...CALLS,
      }),
      lines("Failures by method", {
        unit: "reqps",
        meaning: "Calls that failed or were refused.",
        queries: {
          "{{method}} {{outcome}}":
            'sum by (method, outcome) (rate(svc_rpc_requests_total{$of,outcome=~"failed|refused"}[$__rate_interval])) or vector(0)',
        },
        ...CALLS,
      }),
      lines("Connections", {
        unit: "short",
        meaning: "Open connections of the public port.",
        queries: { "{{instance}}": "svc_rpc_connections{$of}" },
      }),
    ],
    Times: [
      lines("Time of calls", {
        unit: "s",
        meaning: "Percentiles over all methods.",
        queries: {
          p99: "histogram_quantile(0.99, sum by (le) (rate(svc_rpc_request_duration_seconds_bucket{$of}[$__rate_interval])))",
          p50: "histogram_quantile(0.5, sum by (le) (rate(svc_rpc_request_duration_seconds_bucket{$of}[$__rate_interval])))",
        },
        ...CALLS,
      }),
      lines("Slowest methods", {
        unit: "s",
        meaning: "The ten methods with the highest 99th percentile.",
        queries: {
          "{{method}}":
            "topk(10, histogram_quantile(0.99, sum by (method, le) (rate(svc_rpc_request_duration_seconds_bucket{$of}[$__rate_interval]))))",
        },
        ...CALLS,
      }),
      lines("Time spent by method", {
        unit: "percentunit",
        meaning: "Seconds of answering per second; the ten highest.",
        queries: {
          "{{method}}": "topk(10, sum by (method) (rate(svc_rpc_request_duration_seconds_sum{$of}[$__rate_interval])))",
        },
        ...CALLS,
      }),
    ],
    Threads: [
      lines("RPC threads busy", {
        unit: "percentunit",
        meaning: "Share of time in which a thread's event loop worked.",
        queries: {
          "{{instance}} {{thread}}":
            "rate(svc_rpc_thread_active_seconds_total{$of}[$__rate_interval]) / (rate(svc_rpc_thread_active_seconds_total{$of}[$__rate_interval]) + rate(svc_rpc_thread_idle_seconds_total{$of}[$__rate_interval]))",
        },
      }),
      lines("Long calls", {
        unit: "short",
        meaning: "Long calls that wait for a thread, and that a thread works on.",
        queries: {
          "{{instance}} waiting": "svc_rpc_long_calls_waiting{$of}",
          "{{instance}} running": "svc_rpc_long_calls_running{$of}",
        },
      }),
      lines("Long calls refused", {
        unit: "short",
        meaning: "Because too many were waiting.",
        queries: { "{{instance}}": "increase(svc_rpc_long_calls_refused_total{$of}[$__rate_interval])" },
      }),
      lines("Thread restarts", {
        unit: "short",
        meaning: "RPC threads that died and were started again.",
        queries: { "{{instance}} {{thread}}": "increase(svc_rpc_thread_restarts_total{$of}[$__rate_interval])" },
      }),
    ],
  },
};

const peers: Dashboard = {
  id: "svc-peers",
  title: "svc: peers",
  rows: {
    Peers: [
      lines("Connected", {
        unit: "short",
        meaning: "Connected peers, and those of them that dialled this node.",
        queries: {
          "{{instance}}": "aztec_peer_manager_peer_count_peers{$of}",
          "{{instance}} inbound": "svc_p2p_inbound_peers{$of}",
        },
        ...PEERS,
      }),
      lines("By score", {
        unit: "short",
        meaning: "Connected peers by the state of their score.",
        queries: { "{{instance}} {{aztec_p2p_peer_score_state}}": "aztec_p2p_peer_state_count_peers{$of}" },
        ...PEERS,
      }),
      lines("Goodbyes", {
        unit: "short",
        meaning: "Peers that left or were disconnected, by reason.",
        queries: {
          "sent: {{aztec_p2p_goodbye_reason}}":
            "sum by (aztec_p2p_goodbye_reason) (increase(aztec_peer_manager_goodbyes_sent_peers{$of}[$__rate_interval]))",
          "received: {{aztec_p2p_goodbye_reason}}":
            "sum by (aztec_p2p_goodbye_reason) (increase(aztec_peer_manager_goodbyes_received_peers{$of}[$__rate_interval]))",
        },
        ...PEERS,
      }),
    ],
    Gossip: [
      lines("Meshes", {
        unit: "short",
        meaning: "Peers in the mesh of each topic; 4 to 12 on a large network.",
        queries: { "{{instance}} {{aztec_gossip_topic_name}}": "svc_p2p_gossip_mesh_peers{$of}" },
        ...PEERS,
      }),
      lines("Messages", {
        unit: "short",
        meaning: "Messages per minute by topic and what became of them.",
        queries: {
          "{{aztec_gossip_topic_name}} {{outcome}}":
            "sum by (aztec_gossip_topic_name, outcome) (rate(svc_p2p_gossip_messages_total{$of}[$__rate_interval])) * 60",
        },
        ...PEERS,
      }),
      lines("Time of validation", {
        unit: "ms",
        meaning: "90th percentile since the start by topic.",
        queries: {
          "{{instance}} {{aztec_gossip_topic_name}}":
            "aztec_p2p_gossip_agg_message_validation_duration_p90_milliseconds{$of}",
        },
        needs: "validator",
      }),
    ],
    Requests: [
      lines("Sent", {
        unit: "short",
        meaning: "Requests per minute to peers by protocol.",
        queries: {
          "{{aztec_p2p_req_resp_protocol}}":
            "sum by (aztec_p2p_req_resp_protocol) (rate(aztec_p2p_req_resp_sent_requests{$of}[$__rate_interval])) * 60",
        },
        ...PEERS,
      }),
      lines("Received", {
        unit: "short",
        meaning: "Requests per minute of peers by protocol.",
        queries: {
          "{{aztec_p2p_req_resp_protocol}}":
            "sum by (aztec_p2p_req_resp_protocol) (rate(aztec_p2p_req_resp_received_requests{$of}[$__rate_interval])) * 60",
        },
        ...PEERS,
      }),
      lines("Failed", {
        unit: "short",
        meaning: "Requests per minute without a usable answer, sent and received.",
        queries: {
          "sent: {{aztec_p2p_req_resp_protocol}}":
            "sum by (aztec_p2p_req_resp_protocol) (rate(aztec_p2p_req_resp_failed_outbound_requests{$of}[$__rate_interval])) * 60",
          "received: {{aztec_p2p_req_resp_protocol}}":
            "sum by (aztec_p2p_req_resp_protocol) (rate(aztec_p2p_req_resp_failed_inbound_requests{$of}[$__rate_interval])) * 60",
        },
        ...PEERS,
      }),
      lines("Collected transactions", {
        unit: "short",
        meaning: "Transactions per minute that gossip did not bring, by how they came.",
        queries: {
          "{{aztec_tx_collection_method}}":
            "sum by (aztec_tx_collection_method) (rate(aztec_tx_collector_tx_count{$of}[$__rate_interval])) * 60",
        },
        ...PEERS,
      }),
    ],
  },
};

const validator: Dashboard = {
  id: "svc-validator",
  title: "svc: validator",
  rows: {
    Duties: [
      number("Votes to slash own validators", {
        unit: "none",
        meaning: "On L1, in the round in progress.",
        queries: { "{{instance}}": "svc_slasher_votes_against_own{$of}" },
        ...VALIDATOR,
      }),
      number("Attestations missed in a row", {
        unit: "none",
        meaning: "By an own validator, up to now.",
        queries: { "{{instance}}": "svc_sentinel_missed_in_a_row{$of}" },
        ...VALIDATOR,
      }),
      number("Own slots filled", {
        unit: "percentunit",
        meaning: "Slots of this node with a checkpoint that L1 took, since the start.",
        queries: {
          "{{instance}}": "aztec_sequencer_slot_filled_count{$of} / (aztec_sequencer_slot_total_count{$of} > 0)",
        },
        ...VALIDATOR,
      }),
      number("Least balance", {
        unit: "ETH",
        meaning: "Of the accounts that publish.",
        queries: { "{{instance}}": "min by (instance) (aztec_l1_publisher_balance_eth{$of})" },
        ...VALIDATOR,
      }),
      lines("Slots", {
        unit: "short",
        meaning: "Slots by what became of them for this node.",
        queries: { "{{instance}} {{outcome}}": "increase(svc_sequencer_slots_total{$of}[$__rate_interval]) > 0" },
        ...VALIDATOR,
      }),
      lines("Proposals of others", {
        unit: "short",
        meaning: "Checkpoint proposals by what this node did.",
        queries: {
          "{{instance}} {{outcome}}": "increase(svc_validator_checkpoint_proposals_total{$of}[$__rate_interval])",
        },
        ...VALIDATOR,
      }),
      lines("Time that duties left", {
        unit: "s",
        meaning: "10th percentile of the time until a duty was due, over an hour; negative: too late.",
        queries: {
          "{{duty}}":
            "histogram_quantile(0.1, sum by (duty, le) (increase(svc_duty_time_left_seconds_bucket{$of}[1h])))",
        },
        ...VALIDATOR,
      }),
      lines("Missed within the sentinel's history", {
        unit: "short",
        meaning: "Attestations and proposals of own validators.",
        queries: {
          "{{instance}} attestations": "svc_sentinel_missed_attestations{$of}",
          "{{instance}} proposals": "svc_sentinel_missed_proposals{$of}",
        },
        ...VALIDATOR,
      }),
    ],
    Building: [
      lines("Time of a block", {
        unit: "ms",
        meaning: "Mean since the start, of own blocks.",
        queries: {
          "{{instance}}":
            "aztec_sequencer_block_build_duration_milliseconds_sum{$of} / aztec_sequencer_block_build_duration_milliseconds_count{$of}",
        },
        ...VALIDATOR,
      }),
      lines("Latest checkpoint", {
        unit: "short",
        meaning: "Blocks and transactions.",
        queries: {
          "{{instance}} blocks": "aztec_sequencer_checkpoint_block_count{$of}",
          "{{instance}} transactions": "aztec_sequencer_checkpoint_tx_count{$of}",
        },
        ...VALIDATOR,
      }),
      lines("Attestations", {
        unit: "short",
        meaning: "Required and collected for the latest own checkpoint.",
        queries: {
          "{{instance}} required": "aztec_sequencer_attestations_required_count{$of}",
          "{{instance}} collected": "aztec_sequencer_attestations_collected_count{$of}",
        },
        ...VALIDATOR,
      }),
      lines("Time to collect attestations", {
        unit: "ms",
        meaning: "For the latest own checkpoint, and the time that there was.",
        queries: {
          "{{instance}}": "aztec_sequencer_attestations_collect_duration_milliseconds{$of}",
          "{{instance}} allowed": "aztec_sequencer_attestations_collect_allowance_milliseconds{$of}",
        },
        ...VALIDATOR,
      }),
      lines("Executing blocks of others", {
        unit: "ms",
        meaning: "The latest proposed block.",
        queries: { "{{instance}}": "aztec_validator_re_execution_time_milliseconds{$of}" },
        ...VALIDATOR,
      }),
    ],
    "Publishing to L1": [
      lines("Balances", {
        unit: "ETH",
        meaning: "Of the accounts that publish.",
        queries: { "{{instance}} {{aztec_l1_sender}}": "aztec_l1_publisher_balance_eth{$of}" },
        ...VALIDATOR,
      }),
      lines("L1 transactions", {
        unit: "short",
        meaning: "By what became of them.",
        queries: {
          "{{instance}} mined": "increase(aztec_l1_tx_mined_count{$of}[$__rate_interval])",
          "{{instance}} reverted": "increase(aztec_l1_tx_reverted_count{$of}[$__rate_interval])",
          "{{instance}} cancelled": "increase(aztec_l1_tx_cancelled_count{$of}[$__rate_interval])",
          "{{instance}} not mined": "increase(aztec_l1_tx_not_mined_count{$of}[$__rate_interval])",
        },
        ...VALIDATOR,
      }),
      lines("Cost of a transaction", {
        unit: "ETH",
        meaning: "Mean since the start, gas and blobs.",
        queries: {
          "{{instance}}":
            "aztec_l1_publisher_tx_total_fee_eth_sum{$of} / aztec_l1_publisher_tx_total_fee_eth_count{$of}",
        },
        ...VALIDATOR,
      }),
      lines("Time until mined", {
        unit: "ms",
        meaning: "Mean since the start.",
        queries: {
          "{{instance}}":
            "aztec_l1_tx_mined_duration_milliseconds_sum{$of} / aztec_l1_tx_mined_duration_milliseconds_count{$of}",
        },
        ...VALIDATOR,
      }),
      lines("Price of gas on L1", {
        unit: "none",
        meaning: "Wei, of gas and of blob gas.",
        queries: {
          "{{instance}} gas": "aztec_l1_gas_price_wei{$of}",
          "{{instance}} blob gas": "aztec_l1_blob_base_fee_wei{$of}",
        },
        ...VALIDATOR,
      }),
    ],
    Slashing: [
      lines("Offenses on record", {
        unit: "short",
        meaning: "Not slashed yet, of own validators and of others.",
        queries: { "{{instance}} {{of}}": "svc_slasher_offenses{$of}" },
        ...VALIDATOR,
      }),
    ],
  },
};

export const DASHBOARDS: readonly Dashboard[] = [operator, sync, rpc, peers, validator];
