import type { Change } from '../test/support/relay.ts'
import type { Json } from './world.ts'

/** Makes an answer false; gives back a new one. */
export type Twist = (answer: never) => unknown

/** Twists the answers of some methods. */
export function on(methods: RegExp, twist: Twist): Change {
  return (result, { method }) => (methods.test(method) && result !== null ? twist(result as never) : result)
}

/** All of these, one after another. */
export function all(...changes: readonly Change[]): Change {
  return async (result, asked) => {
    let reported: unknown = result
    for (const change of changes) reported = await change(reported, asked)
    return reported
  }
}

/** Replaces members. */
export const put =
  (members: Json): Twist =>
  (answer: Json) => ({ ...answer, ...members })

/** Twists each element. */
export const each =
  (twist: Twist): Twist =>
  (answer: readonly unknown[]) =>
    answer.map((one) => twist(one as never))

/** Twists the element at an index, if there is one. */
export const at =
  (index: number, twist: Twist): Twist =>
  (answer: readonly unknown[]) =>
    answer.map((one, i) => (i === index ? twist(one as never) : one))

/** Twists the list `transactions` of a block, if it holds whole ones. */
export const inFull =
  (twist: Twist): Twist =>
  (block: { readonly transactions: readonly unknown[] }) =>
    typeof block.transactions[0] === 'object' ? { ...block, transactions: twist(block.transactions as never) } : block

/** Twists the list `transactions` of a block, if it holds hashes. */
export const inBrief =
  (twist: Twist): Twist =>
  (block: { readonly transactions: readonly unknown[] }) =>
    typeof block.transactions[0] === 'string' ? { ...block, transactions: twist(block.transactions as never) } : block

/** Calls the transactions of every whole block ones of an unknown type, so that the block proves nothing. */
export const blockLabelled: Change = on(/^eth_getBlockBy(Hash|Number)$/, inFull(each(put({ type: '0x55' }))))

/** Withholds the proofs of the state. */
export const withoutProofs: Change = (result, { method }) => (method === 'eth_getProof' ? null : result)

export const labelled: Json = { type: '0x55' }
export const unsigned: Json = { type: '0x0', r: '0x0', s: '0x0' }
export const nobody = `0x${'0'.repeat(40)}`
export const elsewhere = `0x${'56'.repeat(32)}`
