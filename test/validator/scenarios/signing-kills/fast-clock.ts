import { TIMES } from "../../../world/validator/requests.ts";

/** Real duration of a slot, in ms. */
export const SLOT_MS = 250;

/** Unix time in ms that runs so fast that a slot lasts SLOT_MS; the same in all processes of the machine. */
export const fastNow = (): number => Math.floor((Date.now() * TIMES.slotDuration * 1000) / SLOT_MS);

export const fastSlot = (): number => Math.floor(fastNow() / 1000 / TIMES.slotDuration);
