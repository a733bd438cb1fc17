/** JSON form of the values of OTLP (opentelemetry-proto, common/v1). Integers of 64 bits are texts. */
type OtlpValue =
  | { stringValue: string }
  | { boolValue: boolean }
  | { intValue: string }
  | { doubleValue: number }
  | { arrayValue: { values: OtlpValue[] } }
  | { kvlistValue: { values: KeyValue[] } };

interface KeyValue {
  key: string;
  value: OtlpValue;
}

/** Attributes of a record; entries without a value are left out. */
export function keyValues(record: object): KeyValue[] {
  return Object.entries(record).flatMap(([key, value]) => {
    const converted = otlpValue(value);
    return converted === undefined ? [] : [{ key, value: converted }];
  });
}

function otlpValue(value: unknown): OtlpValue | undefined {
  switch (typeof value) {
    case "string":
      return { stringValue: value };
    case "boolean":
      return { boolValue: value };
    case "number":
      return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value };
    case "bigint":
      return { stringValue: value.toString() };
    case "object":
      if (value === null) return undefined;
      if (Array.isArray(value)) return { arrayValue: { values: value.flatMap((item) => otlpValue(item) ?? []) } };
      return { kvlistValue: { values: keyValues(value) } };
    default:
      return undefined;
  }
}

/** Unix nanoseconds of Unix milliseconds, as a text. */
export function nanoseconds(ms: number): string {
  return String(BigInt(Math.round(ms * 1000)) * 1000n);
}

export const SCOPE = { name: "svc" } as const;
