// Two real geths whose heads are set back: old and new subscribers, filters and kept answers of a gateway before them.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { httpUrl, key, wsUrl } from '../test/support/gateway.ts'
import { ask } from '../test/support/http.ts'
import { startProxy } from '../test/support/proxy-process.ts'
import { openSocket, type TestSocket } from '../test/support/socket.ts'
import { until } from '../test/support/wait.ts'
import { buildBlock, engineOf } from '../two-nodes/nodes/engine.ts'
import { gethChainId } from '../two-nodes/nodes/genesis.ts'
import { startGeths } from '../two-nodes/nodes/geth-chain.ts'

const geth = process.env['GETH']

interface Block {
  readonly number: string
  readonly hash: string
  readonly timestamp: string
}

/** A socket, and the code by which it was closed. */
type Subscriber = TestSocket & { code?: number }

const hex = (number: number): string => `0x${number.toString(16)}`
/** Blocks below the head that are final. */
const finalDepth = 64
/** The time that the gateway has, in ms. */
const withinMs = 2_000

/** Two geths of one chain of so many blocks. */
async function startChain(folder: string, blocks: number) {
  const { nodes, engines, secret } = await startGeths(geth!, folder, 2 * blocks)
  const engine = engineOf(secret)
  const blockAt = (place: string): Promise<Block | null> =>
    ask(nodes[0].url, 'eth_getBlockByNumber', [place, false]) as Promise<Block | null>

  /** Makes a block on the head of the first geth, and tells it to both. */
  async function mine(): Promise<Block> {
    const parent = (await blockAt('latest'))!
    const finalized = (await blockAt(hex(Math.max(0, Number(parent.number) - finalDepth))))!.hash
    const timestamp = Number(parent.timestamp) + 1
    const built = (await buildBlock(engine, engines[0], { parent, finalized, timestamp, waitMs: 5 }))!
    const choice = { headBlockHash: built.blockHash, safeBlockHash: finalized, finalizedBlockHash: finalized }
    for (const each of engines) {
      await engine(each, 'engine_newPayloadV4', ...built.params)
      await engine(each, 'engine_forkchoiceUpdatedV3', choice, null)
    }
    return (await blockAt('latest'))!
  }

  for (let i = 0; i < blocks; i++) await mine()
  return {
    nodes,
    blockAt,
    mine,
    async setBack(by: number): Promise<void> {
      const height = Number((await blockAt('latest'))!.number) - by
      for (const { url } of nodes) await ask(url, 'debug_setHead', [hex(height)])
      for (const { url } of nodes) while (Number(await ask(url, 'eth_blockNumber')) > height) await sleep(5)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.kill()))
    },
  }
}

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'set-back-interop-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe.skipIf(geth === undefined)('two geths', () => {
  it.each([50, 150])(
    'whose heads are set back by %i: subscribers, filters and kept answers are of the new chain',
    async (by) => {
      await using chain = await startChain(folder, by + 20)
      await using gateway = await startProxy({
        listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
        projects: [{ name: 'conformance', keys: [{ key }] }],
        networks: {
          main: { kind: 'evm', chainId: gethChainId, upstreams: chain.nodes.map(({ url, ws }) => ({ url, ws })) },
        },
      })
      const url = httpUrl(gateway as never)
      const subscribe = async (): Promise<Subscriber> => {
        const socket: Subscriber = await openSocket(wsUrl(gateway as never))
        void socket.closed.then(({ code }) => (socket.code = code))
        await socket.ask('eth_subscribe', ['newHeads'])
        return socket
      }
      const hashOf = ({ pushes }: TestSocket): string | undefined => (pushes().at(-1) as Block | undefined)?.hash
      const old = [await subscribe(), await subscribe()]
      const filter = await ask(url, 'eth_newBlockFilter')
      for (let i = 0; i < 5; i++) {
        const { hash } = await chain.mine()
        await until('a head for all', () => old.every((one) => hashOf(one) === hash))
      }
      const top = Number((await chain.blockAt('latest'))!.number)
      const heights = [1, 5, 20, by - 2, by].map((below) => top - by + below)
      const read = (height: number): Promise<unknown> => ask(url, 'eth_getBlockByNumber', [hex(height), false])
      const gone = new Set<string>()
      for (const height of heights) gone.add(((await read(height)) as Block).hash)

      await chain.setBack(by)
      const since = performance.now()
      const afterMs: Record<string, number> = {}
      const lap = (what: string): void => void (afterMs[what] = Math.round(performance.now() - since))
      const first = await chain.mine()
      lap('a block')
      const isDone = ({ code, ...one }: Subscriber): boolean => code !== undefined || hashOf(one) === first.hash
      await until('the new head or an end', () => old.every(isDone))
      lap('old subscribers')
      expect(old.map(({ code }) => code).filter((code) => code !== undefined && code !== 1013)).toEqual([])
      while ((await ask(url, 'eth_blockNumber')) !== first.number) await sleep(5)
      lap('the height')
      const next = await subscribe()
      const second = await chain.mine()
      await until('a head of the new chain', () => hashOf(next) === second.hash)
      lap('new subscribers')
      console.log(`set back by ${by}, right after ms:`, afterMs)
      await sleep(Math.max(0, withinMs - (performance.now() - since)))
      for (let i = 0; i < 3; i++) await chain.mine()
      await until('the last head', () => Number((next.pushes().at(-1) as Block).number) === Number(second.number) + 3)
      for (const height of heights)
        expect([height, await read(height)]).toEqual([height, await chain.blockAt(hex(height))])
      const changes = await ask(url, 'eth_getFilterChanges', [filter]).catch((thrown: Error) => thrown.message)
      if (Array.isArray(changes)) expect(changes.slice(5).filter((hash) => gone.has(hash as string))).toEqual([])
      else expect(changes).toContain('filter not found')
      for (const one of [...old, next]) await one[Symbol.asyncDispose]()
    },
  )
})
