import { systemClock } from '@wayleave/jsonrpc-core'
import { handlerLaws, peerHandler } from '@wayleave/jsonrpc-core/testing'
import { describe, it } from 'vitest'
import { networkKinds } from '../../src/kinds/index.ts'
import { composeStages } from '../../src/kinds/stage.ts'

const sources = { rollupNode: undefined, rollupMode: undefined, clock: systemClock }

describe.each(['evm', 'rollup'] as const)('the rules of %s obey the laws of a handler', (kind) => {
  for (const read of ['eth_call', 'eth_getBlockReceipts', 'eth_getStorageAt', 'rollup_getInfo', 'eth_chainId']) {
    const create = (peer: Parameters<typeof peerHandler>[0]) =>
      composeStages(networkKinds[kind].rules(sources), peerHandler(peer))
    for (const law of handlerLaws({ create, read })) it(`${read} ${law.name}`, law.run)
  }
})
