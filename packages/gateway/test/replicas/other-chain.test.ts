import { expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, type TestChain, testChain } from '../chain-node.ts'
import { frame, key, send, startTestGateway } from '../support.ts'
import { isRequired, missingRedis, startRedis } from './servers.ts'

const chainOf = (height: number, genesis = 0): TestChain =>
  testChain(height, { genesis, startedAt: Math.floor(Date.now() / 1_000) - height })

/** A gateway with answers in Redis, and how it answers for final blocks. */
async function start(node: ChainNode, redis: string) {
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: true } } as const
  const gateway = await startTestGateway([], { networks, cache: { redis } })
  onTestFinished(() => gateway.close(0))
  return async (height: number) => {
    const body = frame('eth_getBlockByNumber', [`0x${height.toString(16)}`, false])
    const { body: text, headers } = await send(gateway.rpc, `/v3/${key}`, { body })
    const { result } = JSON.parse(text) as { readonly result: { readonly hash: string } }
    return { hash: result.hash, cache: headers['x-wayleave-cache'] as string | undefined }
  }
}

it.skipIf(!isRequired && missingRedis() !== undefined)(
  'answers of a chain that is gone are given by no process, whether it knew that chain or not; those of the present one by all',
  { timeout: 60_000 },
  async () => {
    await using redis = await startRedis()
    const [old, other] = [chainOf(200), chainOf(205, 9)]
    const node = await startChainNode(old, 1)
    onTestFinished(() => node.close())
    let asked: number[] = []
    node.answer = (_method, [at]) => {
      if (typeof at === 'string' && at.startsWith('0x')) asked.push(Number(at))
      return undefined
    }
    const blocks = Array.from({ length: 40 }, (_, i) => i + 1)
    const first = await start(node, redis.url)
    /** Asks for all blocks until a process has an answer for each that it need not ask the node for. */
    const sharesWith = async (ask: Awaited<ReturnType<typeof start>>, chain: TestChain): Promise<void> => {
      await expect
        .poll(
          async () => {
            asked = []
            for (const height of blocks) expect((await ask(height)).hash).toBe(chain.block(height).hash)
            return asked.filter((height) => blocks.includes(height)).length
          },
          { timeout: 20_000 },
        )
        .toBe(0)
    }
    await expect.poll(async () => (await first(0)).cache, { timeout: 20_000 }).toBe('hit')
    // This call has the processes agree on the name of their answers.
    await first(0)
    await sharesWith(first, old)

    const second = await start(node, redis.url)
    await expect.poll(async () => (await second(0)).cache, { timeout: 20_000 }).toBe('hit')
    await second(0)
    let found = 0
    for (const height of blocks) {
      asked = []
      expect((await second(height)).hash).toBe(old.block(height).hash)
      if (!asked.includes(height)) found++
    }
    expect(found).toBeGreaterThan(0)

    await node.stop()
    node.chain = other
    await node.start()
    const third = await start(node, redis.url)
    for (const ask of [first, second, third]) {
      await expect.poll(async () => (await ask(0)).hash, { timeout: 5_000 }).toBe(other.block(0).hash)
      for (const height of blocks) expect((await ask(height)).hash).toBe(other.block(height).hash)
    }
    // Answers of the present chain are shared again.
    await expect
      .poll(
        async () => {
          const fourth = await start(node, redis.url)
          await expect.poll(async () => (await fourth(0)).cache, { timeout: 20_000 }).toBe('hit')
          asked = []
          for (const height of blocks) expect((await fourth(height)).hash).toBe(other.block(height).hash)
          return asked.filter((height) => blocks.includes(height)).length
        },
        { timeout: 20_000 },
      )
      .toBeLessThan(blocks.length)
  },
)
