/**
 * uWebSockets.js closes an idle connection after 10 s, give or take the 4 s by which it looks: no sooner than this
 * after
 * an answer. Milliseconds.
 */
export const UWS_IDLE_MS = 8_000;
