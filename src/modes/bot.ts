import { MissingOptionError } from "../config/errors.ts";
import type { Values } from "../config/options.ts";
import { partValues } from "../config/part-values.ts";
import type { Mode } from "./mode.ts";

function withNodeUrl(values: Values): Values & { nodeUrl: string } {
  const { nodeUrl } = values;
  if (nodeUrl === undefined) {
    throw new MissingOptionError("nodeUrl", "A bot alone needs a node's RPC URL: give --bot.nodeUrl or AZTEC_NODE_URL");
  }
  return { ...values, nodeUrl };
}

/** A transaction bot that uses a remote node. */
export const botMode: Mode = {
  name: "bot",
  selected: ({ bot, node, proverNode, archiver, sequencer, p2pBootstrap }) =>
    bot && !(node || proverNode || archiver || sequencer || p2pBootstrap),
  async checks() {
    const { botOptions } = await import("../bot/bot-options.ts");
    return [withNodeUrl, (values) => botOptions(partValues(values).bot)];
  },
  async run({ values, warnings }) {
    const botValues = withNodeUrl(values);
    const { runBot } = await import("../bot/run-bot.ts");
    return runBot(botValues, warnings);
  },
};
