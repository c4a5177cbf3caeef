import { defineExtension, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { handlerLaws, peerHandler, type ScriptedPeer } from '@wayleave/jsonrpc-core/testing'
import {
  createCandidate,
  createConsensus,
  createHedging,
  createPool,
  createSelection,
  createUpstreamHealth,
} from '@wayleave/upstream'
import { describe, it } from 'vitest'

const askedOnly = defineExtension<string>('askedOnly')
const isRead = ({ method }: { readonly method: string }): boolean => method === 'eth_chainId'

const poolOf =
  (size: number, isCompared = false) =>
  (peer: ScriptedPeer): RpcHandler => {
    const candidates = Array.from({ length: size }, (_, i) => {
      const name = `e${i}`
      const endpoint = { name, handler: peerHandler(peer), carriesSubscriptions: false }
      return createCandidate({ endpoint, health: createUpstreamHealth({ name }), slots: 160 })
    })
    const selection = createSelection({
      candidates,
      random: Math.random,
      excludes: ({ endpoint }, { request }) =>
        (askedOnly.of(request) ?? endpoint.name) === endpoint.name ? undefined : 'not_chosen',
    })
    const pool = createPool({
      selection,
      clock: systemClock,
      isRepeatable: isRead,
      opensSubscription: () => false,
      hedging: createHedging(),
    })
    if (!isCompared) return pool
    return createConsensus({
      pool,
      clock: systemClock,
      participants: size,
      agreement: 2,
      isSubject: isRead,
      order: (request) => selection.order({ request, class: 'read', now: systemClock.now() }),
      askOnly: (request, { endpoint }) => askedOnly.on(request, endpoint.name),
      classOf: () => 'read',
      isRefusal: () => false,
      rulesOf: () => ({}),
      errorClassOf: (_, { code }) => String(code),
    })
  }

for (const size of [1, 3]) {
  describe(`a pool of ${size}`, () => {
    for (const law of handlerLaws({ create: poolOf(size) })) it(law.name, law.run)
  })
}

describe('a consensus of two of three', () => {
  for (const law of handlerLaws({ create: poolOf(3, true) })) it(law.name, law.run)
})
