import { rawJsonFromText, systemClock } from '@wayleave/jsonrpc-core'
import { handlerLaws, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { networkKinds } from '../../src/networks/index.ts'
import { methodRules } from '../../src/networks/method-rules.ts'

const sources = { rollupNode: undefined, rollupMode: undefined, clock: systemClock }

describe.each(['evm', 'rollup'] as const)('the rules of %s obey the laws of a handler', (kind) => {
  for (const read of ['eth_call', 'eth_getBlockReceipts', 'eth_getStorageAt', 'rollup_getInfo', 'eth_chainId']) {
    const laws = handlerLaws({ create: (peer) => networkKinds[kind].normalise(sources)(peerHandler(peer)), read })
    for (const law of laws) it(`${read} ${law.name}`, law.run)
  }
})

it('a method without a rule gets the handler below, with the same request and context', async () => {
  const seen: unknown[] = []
  const handler = methodRules([{ methods: ['ruled'], apply: () => async () => ({ result: rawJsonFromText('1') }) }])(
    async (...call) => {
      seen.push(...call)
      return { result: rawJsonFromText('2') }
    },
  )
  const request = { method: 'free', params: undefined, notification: false }
  const context = {} as never
  await handler(request, context)
  await handler({ ...request, method: 'ruled' }, context)
  expect(seen).toHaveLength(2)
  expect(seen[0]).toBe(request)
  expect(seen[1]).toBe(context)
})

it('what a rule remembers is shared by its methods', () => {
  let made = 0
  methodRules([
    {
      methods: ['a', 'b'],
      apply: (next) => {
        made++
        return next
      },
    },
  ])(async () => ({ result: rawJsonFromText('1') }))
  expect(made).toBe(1)
})
