import { createContext, rawJsonFromValue, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { checkBlockLogs } from '@wayleave/network/internal/verification/check-logs'
import { createEventBlocks, readRestOfBlock } from '../../src/events/rest-of-block.ts'
import { createChain, createNetwork, mine, myLogs } from '../rpc/sse/support.ts'

/** The logs behind the first one of a block, from nodes that answer as `forge` has it for so many questions. */
async function restFrom(verify: 'off' | 'consistent' | 'proven', lies: number) {
  const chain = createChain()
  const { nodes } = createNetwork(chain)
  const { hash } = chain.grow(3)
  const logs = myLogs(chain)
  let left = lies
  const ask: RpcHandler = async (request, context) => {
    if (request.method !== 'eth_getLogs' || left === 0) return nodes(request, context)
    left--
    return { result: rawJsonFromValue(logs.map((log) => ({ ...log, topics: [hash] }))) }
  }
  const blocks = createEventBlocks(ask, checkBlockLogs({ endpoints: [{ verify }], chainId: 1, ask }), systemClock)
  const context = createContext({ clock: systemClock, timeoutMs: 1_000 })
  const rest = await readRestOfBlock(blocks, { hash, below: 1, from: 0 }, { address: mine }, context)
  return { reported: rest.map((log) => log.value()), logs: logs.slice(1) }
}

describe.each(['consistent', 'proven'] as const)('the rest of a block with verify: %s', (verify) => {
  it('is asked for again where it does not verify', async () => {
    const { reported, logs } = await restFrom(verify, 1)
    expect(reported).toEqual(logs)
  })

  it('is refused where no node has one that verifies', async () => {
    await expect(restFrom(verify, Number.POSITIVE_INFINITY)).rejects.toMatchObject({ code: 'unavailable' })
  })
})
