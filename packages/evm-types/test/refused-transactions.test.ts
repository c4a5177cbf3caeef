import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { classifyNodeError, type NodeError, type NodeErrorKind } from '../src/index.ts'

interface Reported extends NodeError {
  readonly kind: NodeErrorKind
}
const { geth, others, alreadyKnown } = JSON.parse(
  readFileSync(new URL('./vectors/refused-transactions.json', import.meta.url), 'utf8'),
) as {
  readonly geth: readonly Reported[]
  readonly others: readonly Reported[]
  readonly alreadyKnown: readonly NodeError[]
}

const reported = (error: Reported) => ({ message: error.message, kind: classifyNodeError(error) })
const wanted = ({ kind, message }: Reported) => ({ message, kind })

test('the words by which geth refuses a transaction have their kind: 84 of 84', () => {
  expect(geth.map(reported)).toEqual(geth.map(wanted))
  expect(new Set(geth.map(({ message }) => message)).size).toBe(84)
})

test('the words by which other nodes refuse a transaction have their kind: 40 of 40', () => {
  expect(others.map(reported)).toEqual(others.map(wanted))
  expect(new Set(others.map(({ message }) => message)).size).toBe(40)
})

test('the words of nodes that have a transaction already are known as such: 25 of 25', () => {
  expect(alreadyKnown.filter((error) => classifyNodeError(error) !== 'already_known')).toEqual([])
  expect(new Set(alreadyKnown.map(({ message }) => message)).size).toBe(25)
})

test.each([
  [800, 'intrinsic_gas_too_low'],
  [801, 'out_of_gas'],
  [802, 'underpriced'],
  [803, 'gas_limit_exceeded'],
  [804, 'invalid_transaction'],
  [805, 'invalid_transaction'],
  [806, 'underpriced'],
  [807, 'invalid_transaction'],
  [808, 'invalid_transaction'],
  [809, 'insufficient_funds'],
  [1000, 'already_known'],
  [1001, 'invalid_transaction'],
  [2000, 'execution_failed'],
] as const)('the number %i of execution-apis means %s whatever the words', (code, kind) => {
  for (const message of ['no', 'rate limit exceeded', 'nonce too low', 'timeout'])
    expect(classifyNodeError({ code, message })).toBe(kind)
})

test('numbers that several lists have are told by their words, and mean what the standard says without any', () => {
  const kinds = (code: number, ...messages: readonly string[]): readonly NodeErrorKind[] =>
    messages.map((message) => classifyNodeError({ code, message }))
  // dRPC has 1 for an outage.
  expect(kinds(1, 'Nonce too low', 'no', 'no available upstreams to process a request')).toEqual([
    'nonce_too_low',
    'nonce_too_low',
    'unavailable',
  ])
  expect(kinds(2, 'Nonce too high', 'no')).toEqual(['nonce_too_high', 'nonce_too_high'])
  // EIP-7966 has 4 for a timeout.
  const late = "The transaction was added to the mempool but wasn't processed in 2s."
  expect(kinds(4, 'Invalid opcode', 'no', late)).toEqual(['execution_failed', 'execution_failed', 'timeout'])
  const unready =
    "The transaction was added to the mempool but wasn't processed due to a missing nonce or insufficient funds."
  expect(kinds(5, unready, 'no')).toEqual(['nonce_too_high', 'unavailable'])
  // eRPC's missing data; OP Stack's proxyd has the number for a batch.
  expect(kinds(-32_014, 'no', 'too many requests')).toEqual(['state_unavailable', 'rate_limited'])
})
