import { randomBytes } from "node:crypto";
import type { TimedDuty, TimedSlot } from "../duty-times.ts";
import type { Labels } from "../metrics/metrics.ts";
import { keyValues, nanoseconds, SCOPE } from "./values.ts";

const INTERNAL = 1;
const OK = 1;
const ERROR = 2;

/** A slot that is over, with the Unix milliseconds of its start. */
export interface SpannedSlot extends TimedSlot {
  readonly start: number;
}

/**
 * Body of an OTLP request with traces: ExportTraceServiceRequest, as JSON. Each slot is a trace: a span for the slot,
 * and one for each duty with its steps as events. A duty that was too late has the status error.
 */
export function dutySpans(slots: readonly SpannedSlot[], resource: Labels): object {
  const spans = slots.flatMap(spansOf);
  return {
    resourceSpans: [{ resource: { attributes: keyValues(resource) }, scopeSpans: [{ scope: SCOPE, spans }] }],
  };
}

const id = (bytes: number): string => randomBytes(bytes).toString("hex");

function spansOf({ slot, start, duties }: SpannedSlot): object[] {
  const traceId = id(16);
  const parentSpanId = id(8);
  const children = duties.map((duty) => dutySpan(duty, { traceId, parentSpanId, slot, start }));
  const times = duties.flatMap(({ steps }) => Object.values(steps));
  const root = {
    traceId,
    spanId: parentSpanId,
    name: "slot",
    kind: INTERNAL,
    startTimeUnixNano: nanoseconds(start + Math.min(...times)),
    endTimeUnixNano: nanoseconds(start + Math.max(...times)),
    attributes: keyValues({ "aztec.slot.number": slot }),
  };
  return [root, ...children];
}

function dutySpan(
  { duty, index, due, steps }: TimedDuty,
  { traceId, parentSpanId, slot, start }: { traceId: string; parentSpanId: string; slot: number; start: number },
): object {
  const times = Object.values(steps);
  const end = Math.max(...times);
  const isLate = due !== undefined && end > due;
  return {
    traceId,
    spanId: id(8),
    parentSpanId,
    name: duty,
    kind: INTERNAL,
    startTimeUnixNano: nanoseconds(start + Math.min(...times)),
    endTimeUnixNano: nanoseconds(start + end),
    attributes: keyValues({ "aztec.slot.number": slot, "svc.duty.index": index, "svc.duty.due_ms": due }),
    events: Object.entries(steps).map(([name, at]) => ({ name, timeUnixNano: nanoseconds(start + at) })),
    status: isLate ? { code: ERROR, message: `${end - due} ms too late` } : { code: OK },
  };
}
