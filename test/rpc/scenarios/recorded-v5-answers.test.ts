import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { comparableV5, expectedV5, recordedV5Cases } from "../../world/rpc/recorded-v5-answers.ts";
import { type ServedV5Chain, serveV5Chain } from "../../world/rpc/served-v5-chain.ts";

describe.each(["chain", "pruned-chain"] as const)("answers of a v5 node over the recorded %s", (chain) => {
  const cases = recordedV5Cases(chain);
  const methods = [...new Set(cases.map(({ method }) => method))];
  let served: ServedV5Chain;
  beforeAll(async () => {
    served = await serveV5Chain(chain);
  });
  afterAll(() => served?.close());

  test.each(methods)("%s gives the recorded answers through aztec_, svc_ and node_", async (method) => {
    for (const one of cases.filter((recorded) => recorded.method === method)) {
      for (const namespace of ["aztec", "svc", "node"]) {
        const question = `${namespace}_${method}(${JSON.stringify(one.params).slice(0, 200)})`;
        const answer = await served.ask(`${namespace}_${method}`, one.params);
        expect(comparableV5(one, answer), question).toEqual(expectedV5(one));
      }
    }
  });

  test("public logs go on after a cursor, which counts them as answers do", async () => {
    const answered = cases.filter(({ method, result }) => method === "getPublicLogsByTags" && result !== undefined);
    for (const { params, result } of answered) {
      const [query] = params as [{ tags: string[] }];
      const logs = (result as { blockNumber: number }[][])[0];
      const paged: unknown[] = [];
      let afterLog: unknown;
      for (;;) {
        const tags = [{ tag: query.tags[0], afterLog }];
        const page = await served.ask("svc_getPublicLogsByTags", [{ ...query, tags, limitPerTag: 1 }]);
        const [found] = (page.result as unknown[][])[0];
        if (found === undefined || paged.length > logs.length) break;
        paged.push(found);
        afterLog = found;
      }
      expect(paged).toEqual(logs);
    }
  });

  test("methods of the release alone are not found", async () => {
    for (const method of ["getL2Tips", "getBlockHeader", "getProvenBlockNumber", "getPublicLogs"]) {
      const { status, error } = await served.ask(`node_${method}`, []);
      expect({ status, error }).toEqual({
        status: 400,
        error: { code: -32601, message: `Method not found: node_${method}` },
      });
    }
  });
});
