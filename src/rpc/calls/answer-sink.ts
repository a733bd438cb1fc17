import type { AnswerBody } from "../jsonrpc/answer.ts";
import { detachBuffer } from "../limits/detach-buffer.ts";

/** The rules of an answer's memory: all that keeps, copies or frees a body does so here. See AnswerBody. */

/** An answer without a body, as to HEAD, is one as well. */
type Body = Partial<AnswerBody>;

export function bodyBytes({ body, end }: Body): number {
  return (body?.length ?? 0) + (end?.length ?? 0);
}

/** The same answer, valid beyond the synchronous run in which it was made: what is lent is copied. */
export function kept<A extends Body>(answer: A): A {
  if (answer.memory !== "lent" || answer.body === undefined) return answer;
  return { ...answer, body: new Uint8Array(answer.body), memory: undefined };
}

/** As `kept`, where the answer may come later; what comes later is never lent. */
export function keptLater<A extends Body>(answer: A | Promise<A>): A | Promise<A> {
  return answer instanceof Promise ? answer : kept(answer);
}

/** The body in one piece of memory of its own, which `detachBuffer` may free. */
export function ownBody(answer: Body): Uint8Array {
  const { body = EMPTY, end, memory } = answer;
  if (end !== undefined) return Buffer.concat([body, end]);
  return memory === undefined ? body : new Uint8Array(body);
}

/** Frees the memory of an answer that nobody needs any more. */
export function release({ body, memory }: Body): void {
  if (body !== undefined && memory === undefined) detachBuffer(body);
}

const EMPTY = new Uint8Array();
