import type { HeaderRules } from "../headers.ts";

export const HEADERS: HeaderRules = { checkpointBytes: 316, accumulatedFeesAt: undefined };
