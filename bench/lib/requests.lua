-- Sends the lines of a file as bodies of POST requests, in turn, and ends with one line of JSON.
-- wrk sends one prepared request when no global "request" exists, so that a single body costs the generator nothing.
local requests = {}
local at = 0

function init(args)
  local bodies = {}
  for line in io.lines(args[1]) do bodies[#bodies + 1] = line end
  local headers = wrk.headers
  headers["Content-Type"] = "application/json"
  wrk.method = "POST"
  wrk.body = bodies[1]
  if #bodies == 1 then return end
  for i, body in ipairs(bodies) do requests[i] = wrk.format("POST", wrk.path, headers, body) end
  request = function()
    at = at % #requests + 1
    return requests[at]
  end
end

function done(summary, latency)
  local points = {}
  for _, p in ipairs({ 1, 5, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99 }) do
    points[#points + 1] = string.format("[%g,%d]", p, latency:percentile(p))
  end
  points[#points + 1] = string.format("[100,%d]", latency.max)
  local e = summary.errors
  io.write(string.format('\n{"requests":%d,"durationUs":%d,"failed":%d,"latenciesUs":[%s]}\n', summary.requests,
    summary.duration, e.connect + e.read + e.write + e.status + e.timeout, table.concat(points, ",")))
end
