import { systemClock } from '@wayleave/jsonrpc-core'
import { handlerLaws, peerHandler, type ScriptedPeer } from '@wayleave/jsonrpc-core/testing'
import { createCandidate, createHedging, createPool, createSelection, createUpstreamHealth } from '@wayleave/upstream'
import { describe, it } from 'vitest'

const poolOf = (size: number) => (peer: ScriptedPeer) => {
  const candidates = Array.from({ length: size }, (_, i) => {
    const name = `e${i}`
    const endpoint = { name, handler: peerHandler(peer), carriesSubscriptions: false }
    return createCandidate({ endpoint, health: createUpstreamHealth({ name }), slots: 160 })
  })
  return createPool({
    selection: createSelection({ candidates, random: Math.random }),
    clock: systemClock,
    isRepeatable: ({ method }) => method === 'eth_chainId',
    opensSubscription: () => false,
    hedging: createHedging(),
  })
}

for (const size of [1, 3]) {
  describe(`a pool of ${size}`, () => {
    for (const law of handlerLaws({ create: poolOf(size) })) it(law.name, law.run)
  })
}
