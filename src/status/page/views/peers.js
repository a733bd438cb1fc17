import { useEffect, useRef, useState } from "preact/hooks";
import { count, duration } from "../format.js";
import { html } from "../html.js";
import { useMetrics } from "../metrics.js";
import { useCall } from "../rpc.js";
import { Age, Figures, Panel, Table, Title, Waiting } from "../ui.js";

const HEIGHT = 220;
const EDGE = { left: 44, right: 14, top: 12, bottom: 26 };
/** Ages at which the map has lines, in seconds. */
/** @type {[number, string][]} */
const AGES = [
  [10, "10 s"],
  [60, "1 min"],
  [600, "10 min"],
  [3_600, "1 h"],
  [6 * 3_600, "6 h"],
  [86_400, "1 d"],
  [7 * 86_400, "7 d"],
];
const TOPICS = [
  ["tx", "txs"],
  ["block_proposal", "blocks"],
  ["checkpoint_proposal", "checkpoints"],
  ["checkpoint_attestation", "attestations"],
];
const PREFIXES = ["aztec.peer_manager.", "svc.p2p."];

const seconds = ({ connectedAt }) => Math.max(5, Date.now() / 1000 - connectedAt / 1000);
const point = (value) => (Number.isInteger(value) ? String(value) : value.toFixed(1));

/** A step of 1, 2 or 5 times a power of ten that gives about four lines. */
function stepOf(span) {
  const raw = span / 4;
  const power = 10 ** Math.floor(Math.log10(raw));
  return power * ([1, 2, 5].find((factor) => factor * power >= raw) ?? 10);
}

/** Each peer by how long it is connected and what gossip thinks of it. */
function ScoreMap({ peers }) {
  const place = useRef(/** @type {HTMLElement | null} */ (null));
  const [width, setWidth] = useState(640);
  useEffect(() => {
    const sized = new ResizeObserver(([{ contentRect }]) => setWidth(Math.max(240, contentRect.width)));
    if (place.current) sized.observe(place.current);
    return () => sized.disconnect();
  }, []);
  const scores = peers.map(({ gossipScore }) => Math.max(-1_000, Math.min(1_000, gossipScore)));
  const top = Math.max(10, ...scores) * 1.1;
  const bottom = Math.min(-10, ...scores) * 1.1;
  const longest = Math.max(3_600, ...peers.map(seconds)) * 1.3;
  const x = (age) => EDGE.left + ((width - EDGE.left - EDGE.right) * Math.log(age / 5)) / Math.log(longest / 5);
  const y = (score) => EDGE.top + ((HEIGHT - EDGE.top - EDGE.bottom) * (top - score)) / (top - bottom);
  const step = stepOf(top - bottom);
  const lines = [];
  for (let score = Math.ceil(bottom / step) * step; score <= top; score += step) lines.push(score);
  const unwell = peers.filter(({ state, gossipScore }) => state !== "healthy" || gossipScore < 0).length;
  return html`<div class="map" ref=${place}><svg width=${width} height=${HEIGHT} viewBox=${`0 0 ${width} ${HEIGHT}`} role="img"
    aria-label=${`Map of ${peers.length} peers by time connected and gossip score: ${unwell} below zero`}>
    <rect class="below" x=${EDGE.left} y=${y(0)} width=${width - EDGE.left - EDGE.right} height=${y(bottom) - y(0)} />
    ${lines.map(
      (score) => html`<g key=${`y${score}`}>
      <line x1=${EDGE.left} x2=${width - EDGE.right} y1=${y(score)} y2=${y(score)} class=${score === 0 ? "zero" : ""} />
      <text x=${EDGE.left - 8} y=${y(score) + 4} text-anchor="end">${point(score)}</text>
    </g>`,
    )}
    ${AGES.filter(([age]) => age < longest).map(
      ([age, name]) => html`<text key=${name} x=${x(age)} y=${HEIGHT - 6} text-anchor="middle">${name}</text>`,
    )}
    ${peers.map(
      (peer, i) => html`<circle key=${peer.id} cx=${x(seconds(peer))} cy=${y(scores[i])} r="5"
      class=${`${peer.state} ${peer.inbound ? "inbound" : "outbound"}`}>
      <title>${`${peer.id}\n${peer.ip ?? ""}, gossip ${point(peer.gossipScore)}, faults ${point(peer.score)}`}</title>
    </circle>`,
    )}
  </svg></div>`;
}

function Connected({ peers }) {
  const columns = [
    {
      name: "Peer",
      of: ({ id, listed }) =>
        html`<span class="mono" title=${id}>${id.length > 16 ? `${id.slice(0, 6)}…${id.slice(-6)}` : id}</span>${listed && html` <span class="dim">listed</span>`}`,
    },
    { name: "Address", kind: "minor", of: ({ ip }) => html`<span class="mono">${ip ?? "–"}</span>` },
    { name: "Dialled by", kind: "minor", of: ({ inbound }) => (inbound ? "the peer" : "this node") },
    { name: "Connected", of: ({ connectedAt }) => html`<${Age} at=${connectedAt / 1000} real />` },
    { name: "Gossip score", kind: "number", of: ({ gossipScore }) => signed(gossipScore) },
    { name: "Faults", kind: "number", of: ({ score }) => signed(score) },
    { name: "State", of: ({ state }) => html`<span class=${`state ${STATES[state]}`}>${state}</span>` },
    {
      name: "Meshes",
      kind: "wide minor",
      of: ({ meshes }) =>
        TOPICS.filter(([topic]) => meshes.includes(topic))
          .map(([, name]) => name)
          .join(", ") || html`<span class="dim">none</span>`,
    },
  ];
  const rows = [...peers].sort((a, b) => b.gossipScore - a.gossipScore);
  return html`<${Table} label="Connected peers" columns=${columns} rows=${rows} keyOf=${({ id }) => id}
    empty="No peer is connected." />`;
}

const STATES = { healthy: "ok", disconnect: "waiting", banned: "failed" };
const signed = (value) => html`<span class=${value < 0 ? "bad" : ""}>${point(Math.round(value * 10) / 10)}</span>`;

function Gossip({ metrics }) {
  const { latest } = metrics;
  const columns = [
    { name: "Topic", of: ([, name]) => name },
    { name: "Mesh", kind: "number", of: ([topic]) => count(mesh(latest, topic)) },
    ...["accepted", "ignored", "rejected", "dropped", "late"].map((outcome) => ({
      name: outcome[0].toUpperCase() + outcome.slice(1),
      kind: outcome === "late" || outcome === "dropped" ? "number minor" : "number",
      of: ([topic]) =>
        count(latest.total("svc.p2p.gossip.messages", { "aztec.gossip.topic_name": topic, outcome }) ?? 0),
    })),
  ];
  return html`<${Table} label="Gossip by topic" columns=${columns} rows=${TOPICS} keyOf=${([topic]) => topic} />`;
}

const mesh = (latest, topic) => latest.total("svc.p2p.gossip.mesh_peers", { "aztec.gossip.topic_name": topic }) ?? 0;

export function PeersView() {
  const { value: peers, error } = useCall("svcAdmin_getConnectedPeers", [], 4_000);
  const metrics = useMetrics(PREFIXES);
  if (!peers) return html`<${Title}>Peers<//><${Waiting} error=${error} />`;
  const goodbyes = metrics.latest?.total("aztec.peer_manager.goodbyes_received");
  const sent = metrics.latest?.total("aztec.peer_manager.goodbyes_sent");
  if (metrics.latest && metrics.latest.series("aztec.peer_manager.peer_count").length === 0) {
    return html`<${Title}>Peers<//><${Panel} label="Peers"><p class="empty">P2P is off on this node, so it has no peers.</p><//>`;
  }
  const inbound = peers.filter((peer) => peer.inbound).length;
  const times = peers.map(seconds).sort((a, b) => a - b);
  const median = times[Math.floor(times.length / 2)];
  return html`<${Title}>Peers<//>
    <${Figures}
      rows=${[
        ["Connected", count(peers.length), `${count(peers.length - inbound)} dialled, ${count(inbound)} inbound`],
        ["Below zero", count(peers.filter(({ gossipScore }) => gossipScore < 0).length), "by gossip's score"],
        ["Connected for", median === undefined ? "–" : duration(median), "median"],
        ["Goodbyes", count(goodbyes), `received; ${count(sent)} sent`],
      ]}
    />
    <${Panel} title="Scores" aside=${html`<span class="legend dim"><span class="dot outbound"></span>dialled <span class="dot inbound"></span>inbound</span>`}>
      ${peers.length > 0 ? html`<${ScoreMap} peers=${peers} />` : html`<p class="empty">No peer is connected.</p>`}
      <p class="dim note">Across: how long a peer is connected. Up: gossip's score, which contains the faults with a weight. Below −500 a peer gets no gossip. It is disconnected when its faults reach −50, and banned at −100.</p>
    <//>
    <${Panel} title="Connected peers"><${Connected} peers=${peers} /><//>
    ${metrics.latest && html`<${Panel} title="Gossip since the start"><${Gossip} metrics=${metrics} /><//>`}`;
}
