import { OPTIONS } from "../../src/config/options.ts";
import { type SlasherOptionValues, slasherSettings } from "../../src/node/settings/slasher-settings.ts";
import type { SlasherSettings } from "../../src/slasher/settings.ts";

/** The settings of a node without slashing options, with changes. */
export function testSettings(changes: Partial<SlasherSettings> = {}): SlasherSettings {
  const defaults = Object.fromEntries(Object.entries(OPTIONS).map(([key, { default: value }]) => [key, value]));
  return { ...slasherSettings(defaults as unknown as SlasherOptionValues), ...changes };
}
