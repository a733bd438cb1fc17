/** Preloaded: the checks of the folder above import the network's packages from this folder instead of their own. */
import { registerHooks } from "node:module";

const CHECKS = new URL("../", import.meta.url).href;

registerHooks({
  resolve(specifier, context, nextResolve) {
    const fromChecks = context.parentURL?.startsWith(CHECKS) && !context.parentURL.includes("/node_modules/");
    if (!fromChecks || !specifier.startsWith("@aztec/")) return nextResolve(specifier, context);
    return nextResolve(specifier, { ...context, parentURL: import.meta.url });
  },
});
