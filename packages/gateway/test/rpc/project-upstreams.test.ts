import { rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { createContext } from '@wayleave/jsonrpc-core'
import { createFairShare } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { systemClock } from '@wayleave/jsonrpc-core'
import { createTurns } from '../../src/budget/turns.ts'
import { evm } from '../../src/networks/evm.ts'
import { GatewayContext } from '../../src/rpc/context.ts'
import { createPipeline } from '../../src/rpc/pipeline.ts'
import { groupsOf, showsUpstream } from '../../src/rpc/project-upstreams.ts'
import { call, principalOf, unmetered } from '../support.ts'

const projects = [
  { name: 'open', keys: [] },
  { name: 'renamed', id: 'paying', keys: [], upstreams: ['paid', 'own'], showUpstream: true },
  { name: 'other', keys: [], upstreams: ['paid', 'own'] },
  { name: 'cheap', keys: [], upstreams: ['own'], showUpstream: false },
]

it('the groups of a project are found by its id, and the gateway itself has none', () => {
  const groups = groupsOf({ projects })
  expect(['open', 'paying', 'renamed', undefined].map((lane) => groups(lane))).toEqual([
    undefined,
    ['paid', 'own'],
    undefined,
    undefined,
  ])
  expect(groupsOf({})('open')).toBeUndefined()
})

it('upstreams are named to the callers of projects that say so', () => {
  const shows = showsUpstream({ projects })
  expect(['open', 'paying', 'cheap', undefined].map((lane) => shows(lane))).toEqual([false, true, false, false])
})

describe('a read in flight', () => {
  async function askedFor(given: ReturnType<typeof groupsOf> | undefined, lanes: readonly string[]) {
    const asked: (string | undefined)[] = []
    const pool: RpcHandler = async (_request, { lane }) => {
      asked.push(lane)
      await new Promise((resolve) => setImmediate(resolve))
      return { result: rawJsonFromValue(1) }
    }
    const { calls, nodes } = createPipeline({
      kind: evm,
      apiVersion: undefined,
      prices: unmetered.prices,
      pool,
      canPush: false,
      rollupNode: undefined,
      rollupMode: undefined,
      noteDenial() {},
      denyMethods: [],
      maxSubscriptions: 1,
      maxSharedBytes: 1_000,
      calls: createFairShare(100),
      onRefusedCall() {},
      maxBatchInFlight: 10,
      turns: createTurns({ nextTurn: (run) => void setImmediate(run) }),
      clock: systemClock,
      ...(given && { groupsOf: given }),
    })
    const answers = lanes.map((id) => {
      const principal = principalOf({ id, name: id, requireSecret: false })
      const context = new GatewayContext(
        { clock: systemClock, deadline: Infinity },
        { principal, network: 'mainnet', traceId: 't' },
      )
      return calls(call('eth_chainId'), context)
    })
    await Promise.all([...answers, nodes(call('eth_chainId'), createContext())])
    return asked
  }

  it('is shared by projects of the same groups alone', async () => {
    const lanes = ['open', 'paying', 'cheap', 'other', 'open']
    expect(await askedFor(groupsOf({ projects }), lanes)).toEqual(['open', 'paying', 'cheap'])
  })

  it('is shared by all where no project has groups', async () => {
    expect(await askedFor(groupsOf({}), ['open', 'paying'])).toEqual(['open'])
    expect(await askedFor(undefined, ['open', 'paying'])).toEqual(['open'])
  })
})
