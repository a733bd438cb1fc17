import { Command } from "commander";

export function generateP2pPrivateKeyCommand(): Command {
  return new Command("generate-p2p-private-key")
    .description("make a key for a node's peer id and print both")
    .action(async () => {
      const { generatePeerIdentity } = await import("../../p2p/identity/peer-identity.ts");
      const { keyText, id } = generatePeerIdentity();
      process.stdout.write(`Private key: ${keyText}\nPeer Id: ${id}\n`);
    });
}
