#!/usr/bin/env bash
# Shows what is in the image and that it runs with a read-only root and without rights: a local network from it answers,
# its health check passes, and nothing but the volume and /tmp can be written. ENGINE is docker (default) or podman, with
# options of its own if it needs some.
#
#   scripts/try-image.sh [IMAGE]
set -euo pipefail

image=${1:-svc:0.1.0}
read -ra engine <<< "${ENGINE:-docker}"
run() { "${engine[@]}" run --read-only --cap-drop ALL --security-opt no-new-privileges --network host "$@"; }

echo "size $("${engine[@]}" image inspect --format '{{.Size}} bytes, user {{.Config.User}}, entrypoint {{.Config.Entrypoint}} {{.Config.Cmd}}, health check {{.Config.Healthcheck.Test}}' "$image")"
echo "largest files and folders, KiB:"
run --rm --entrypoint sh "$image" -c '
  du -xak --exclude=/proc --exclude=/sys / 2>/dev/null | sort -rn | head -40
  echo "files: $(find / -xdev -type f 2>/dev/null | wc -l)"
  echo "setuid or writable by others: $(find / -xdev \( -perm -4000 -o -perm -2000 \) -type f 2>/dev/null | tr "\n" " ")"
  echo "components in the bill of materials: $(grep -c \"purl\" /opt/svc/svc.cdx.json)"
  id; cat /etc/debian_version; node --version; svc --version; ldd --version | head -1'

container=$(run --detach --tmpfs /tmp -e SVC_RPC_HOST=127.0.0.1 -e AZTEC_PORT=0 "$image" \
  start --local-network --admin-port 0 --local-network.l1Port 0)
trap '"${engine[@]}" rm --force --volumes "$container" > /dev/null' EXIT
for _ in $(seq 240); do
  url=$("${engine[@]}" logs "$container" 2>&1 | sed -n 's/^ *JSON-RPC *\(http[^ ]*\).*/\1/p')
  [ -n "$url" ] && break
  sleep 0.5
done
"${engine[@]}" logs "$container" 2>&1 | grep 'local network is ready' || { "${engine[@]}" logs "$container"; exit 1; }
inside() { "${engine[@]}" exec "$container" "$@"; }
inside svc status --url "$url"
inside node -e '
  const call = { jsonrpc: "2.0", id: 1, method: "node_getBlockNumber", params: [] };
  const headers = { "content-type": "application/json" };
  fetch(process.argv[1], { method: "POST", headers, body: JSON.stringify(call) })
    .then((answer) => answer.text()).then(console.log)' "$url"
inside sh -c 'for place in / /opt/svc /usr/local/bin /etc /var /var/lib/svc /tmp; do
  (: > "$place/probe") 2>/dev/null && echo "$place can be written" || echo "$place cannot be written"
done; rm -f /var/lib/svc/probe /tmp/probe; grep -E "^(Uid|CapEff|NoNewPrivs|Seccomp):" /proc/1/status'
"${engine[@]}" logs "$container" 2>&1 | grep -iE 'uWebSockets|bb |warn' || true
started=$(date +%s)
"${engine[@]}" stop --time 30 "$container" > /dev/null
echo "stopped after $(($(date +%s) - started)) s with $("${engine[@]}" inspect --format '{{.State.ExitCode}}' "$container")"
