// A node whose blocks are told part by part, before one without: nothing goes back, and heads of others are those that are sealed.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { lookAtLatest, lookAtPending, nothingSeen } from '../flashblocks/callers.ts'
import { type OpRig, startOpRig } from '../flashblocks/op-rig.ts'
import { key } from './support/gateway.ts'
import { type ProxyProcess, startProxy } from './support/proxy-process.ts'
import { openSocket } from './support/socket.ts'
import { until } from './support/wait.ts'

const other = 'a'.repeat(32)

describe.each([
  {
    nodes: 'a node with flashblocks, and one without',
    nodesOf: ({ plain, flashblocks }: OpRig) => [plain[0], flashblocks],
  },
  {
    nodes: 'two nodes with flashblocks, one of them late, and one without',
    nodesOf: ({ plain, flashblocks, late }: OpRig) => [plain[0], flashblocks, late],
  },
])('before $nodes', ({ nodesOf }) => {
  let rig: OpRig
  let gateway: ProxyProcess
  const urlOf = (own: string): string => `${gateway.rpc}/v3/${own}`
  beforeAll(async () => {
    rig = await startOpRig({ blockMs: 500, partMs: 50, lateMs: 60 })
    gateway = await startProxy({
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      projects: [key, other].map((own) => ({ name: own, keys: [{ key: own }] })),
      networks: {
        base: {
          kind: 'evm',
          chainId: rig.chain.chainId,
          upstreams: nodesOf(rig).map(({ url, ws }) => ({ url, ws })),
        },
      },
    })
    while (!nodesOf(rig).every(({ calls }) => calls.has('op_supportedCapabilities'))) {
      const body = '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["pending",false]}'
      await (await fetch(urlOf(key), { method: 'POST', body })).text()
    }
  })
  afterAll(async () => {
    await gateway[Symbol.asyncDispose]()
    await rig[Symbol.asyncDispose]()
  })

  it('pending, receipts and heads never go back, and no call fails', async () => {
    const [looker, stranger] = [nothingSeen(), nothingSeen()]
    const end = rig.chain.blocks.at(-1)!.number + 8
    const isOver = (): boolean => rig.chain.blocks.at(-1)!.number >= end
    await Promise.all([
      lookAtPending(urlOf(key), rig, looker, isOver),
      lookAtPending(urlOf(other), rig, looker, isOver),
      lookAtLatest(urlOf(key), looker, isOver),
      lookAtLatest(urlOf(other), stranger, isOver),
    ])
    expect(looker).toMatchObject({ back: [], errors: [] })
    expect(stranger).toMatchObject({ back: [], errors: [] })
    expect(Math.min(looker.pendings, stranger.seenAt.size)).toBeGreaterThan(5)
    // No head was told before a node had it.
    const early = [...stranger.seenAt, ...looker.seenAt].filter(([height, at]) => at < (rig.heldAt.get(height) ?? 0))
    expect(early).toEqual([])
  })

  it('flashblocks and their logs are pushed in order, and heads as they are sealed', async () => {
    await using socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    const kinds = ['newFlashblocks', 'pendingLogs', 'newHeads'] as const
    const ids = await Promise.all(kinds.map(async (kind) => (await socket.ask('eth_subscribe', [kind])).result))
    const reported = (): readonly (readonly number[])[] => ids.map((id) => (socket.pushes(id) as Pushed[]).map(placeOf))
    await until('three heads', () => reported()[2]!.length >= 3)
    const [flashblocks, logs, heads] = reported()
    for (const list of [flashblocks!, logs!, heads!]) {
      expect(list.length).toBeGreaterThanOrEqual(3)
      expect(list).toEqual([...new Set(list)].toSorted((a, b) => a - b))
    }
    expect(flashblocks!.length).toBeGreaterThan(3 * heads!.length)
  })
})

interface Pushed {
  readonly number?: string
  readonly gasUsed?: string
  readonly blockNumber?: string
  readonly logIndex?: string
}

/** A place that grows with each event of a kind. */
function placeOf({ number, gasUsed, blockNumber, logIndex }: Pushed): number {
  return Number(number ?? blockNumber) * 10_000_000 + Number(gasUsed ?? logIndex)
}
