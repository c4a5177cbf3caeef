import { systemClock } from '@wayleave/jsonrpc-core'
import { handlerLaws, peerHandler, type ScriptedPeer } from '@wayleave/jsonrpc-core/testing'
import { createPool } from '@wayleave/upstream'
import { describe, it } from 'vitest'

const poolOf = (size: number) => (peer: ScriptedPeer) =>
  createPool({
    endpoints: Array.from({ length: size }, (_, i) => ({
      name: `e${i}`,
      handler: peerHandler(peer),
      carriesSubscriptions: false,
    })),
    clock: systemClock,
    isRepeatable: ({ method }) => method === 'eth_chainId',
    opensSubscription: () => false,
  })

for (const size of [1, 2]) {
  describe(`a pool of ${size}`, () => {
    for (const law of handlerLaws({ create: poolOf(size) })) it(law.name, law.run)
  })
}
