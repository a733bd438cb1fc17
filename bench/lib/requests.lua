-- Sends the lines of a file as bodies of POST requests, in turn, and ends with one line of JSON.
-- wrk sends one prepared request when no global "request" exists, so that a single body costs the generator nothing.
-- Marks in a body are replaced in each request, so that no two requests are the same: by the second of the start and a
-- count, 24 bits each, as base64 letters. The second argument is the mean pause of a connection before each request, in
-- milliseconds; pauses are spread evenly up to twice that.
local MARK = "@@@@@@@@"
local LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
local requests = {}
local at = 0
local count = 0

local function letters(n)
  local out = {}
  for i = 4, 1, -1 do
    out[i] = LETTERS:sub(n % 64 + 1, n % 64 + 1)
    n = math.floor(n / 64)
  end
  return table.concat(out)
end

function init(args)
  local bodies = {}
  for line in io.lines(args[1]) do bodies[#bodies + 1] = line end
  local think = tonumber(args[2])
  if think > 0 then
    delay = function() return math.floor(2 * think * math.random() + 0.5) end
  end
  local headers = wrk.headers
  headers["Content-Type"] = "application/json"
  wrk.method = "POST"
  wrk.body = bodies[1]
  local marked = bodies[1]:find(MARK, 1, true) ~= nil
  if #bodies == 1 and not marked then return end
  for i, body in ipairs(bodies) do requests[i] = wrk.format("POST", wrk.path, headers, body) end
  local started = letters(os.time() % 2 ^ 24)
  request = function()
    at = at % #requests + 1
    if not marked then return requests[at] end
    count = count + 1
    local from = requests[at]:find(MARK, 1, true)
    return requests[at]:sub(1, from - 1) .. started .. letters(count) .. requests[at]:sub(from + #MARK)
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
