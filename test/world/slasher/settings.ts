import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import type { SlasherSettings } from "../../../src/slasher/offenses/settings.ts";

/** The settings of a node without slashing options, with changes. */
export function testSettings(changes: Partial<SlasherSettings> = {}): SlasherSettings {
  return { ...partValues(configure({ flags: new Map(), environment: {} }).values).slasher, ...changes };
}
