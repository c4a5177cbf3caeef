import { expect, test } from 'vitest'
import { createMix } from '../src/mix/questions.ts'
import { balanceResult, callResult, chainResultOf } from '../src/mix/results.ts'

interface Call {
  readonly id: number
  readonly method: string
  readonly params: readonly unknown[]
}

const chain = { height: 21_000_000, block: () => '{"number":"0x1406f40"}', announced: () => '{}' }

const fixed: Readonly<Record<string, string>> = { eth_call: callResult, eth_getBalance: balanceResult }

function answerOf(body: string): string {
  const asked = JSON.parse(body) as Call | readonly Call[]
  const print = ({ id, method, params }: Call): string =>
    `{"jsonrpc":"2.0","id":${id},"result":${fixed[method] ?? chainResultOf(chain, method, params)}}`
  return Array.isArray(asked) ? `[${(asked as readonly Call[]).map(print).join(',')}]` : print(asked as Call)
}

test('the mix is the same for the same seed, and each of its requests takes the right answer alone', () => {
  const [next, again] = [createMix(1), createMix(1)]
  const methods = new Map<string, number>()
  for (let i = 0; i < 2_000; i++) {
    const request = next()
    expect(again().body).toBe(request.body)
    const answer = answerOf(request.body)
    expect(request.isAnswer(Buffer.from(answer))).toBe(true)
    expect(request.isAnswer(Buffer.from(answer.replace('"id":0', '"id":1')))).toBe(false)
    for (const { method } of [JSON.parse(request.body)].flat() as Call[])
      methods.set(method, (methods.get(method) ?? 0) + 1)
  }
  expect([...methods.keys()].toSorted()).toEqual([
    'eth_blockNumber',
    'eth_call',
    'eth_getBalance',
    'eth_getBlockByNumber',
    'eth_getLogs',
    'eth_getTransactionReceipt',
  ])
})

test('calls that are never the same differ between seeds, too', () => {
  const balances = [1, 2].flatMap((seed) => {
    const next = createMix(seed)
    return Array.from({ length: 1_000 }, () => next().body).filter(
      (body) => body.includes('"eth_getBalance"') && !body.startsWith('['),
    )
  })
  expect(new Set(balances).size).toBe(balances.length)
})
