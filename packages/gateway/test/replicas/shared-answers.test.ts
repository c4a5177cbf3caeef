import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import type { SharedAnswer } from '@wayleave/stores'
import { createUpstreamHealth } from '@wayleave/upstream'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Config, startGateway, ConfigError, realSurroundings, createLog } from '@wayleave/gateway'
import { createContext, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { answerPatience, openSharedAnswers } from '../../src/answers/shared-answers.ts'
import { startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, startNode, startTestGateway } from '../support.ts'
import { isRequired, missingRedis, startRedis } from './servers.ts'

const { clock } = realSurroundings
const context = createContext()
const answer: SharedAnswer = { body: '"0x1"', byteLength: 5, isFinal: true }

/** A log, and the messages that it was told. */
function recorder() {
  const messages: string[] = []
  const destination = { write: (line: string) => void messages.push((JSON.parse(line) as { msg: string }).msg) }
  return { log: createLog({ level: 'info', destination }), messages }
}

it('refuses what is no URL of Redis by the name of its member', async () => {
  const opening = openSharedAnswers('http://user:secret@host', { clock, log: createLog({ level: 'silent' }) })
  const error = (await opening.catch((thrown: unknown) => thrown)) as ConfigError
  expect(error).toBeInstanceOf(ConfigError)
  expect(error.message).toContain('cache.redis')
  expect(error.message).not.toContain('secret')
})

describe('the wait for a shared answer', () => {
  const upstreamOf = (name: string, ms: number, clocked: FakeClock) => {
    const health = createUpstreamHealth({ name, onProbeDue() {} })
    for (let i = 0; i < 20; i++) health.succeeded(health.begin('read', clocked.now()), clocked.now() + ms)
    return { health }
  }

  it('is a tenth of the median of the fastest upstream, and 2 ms at least', () => {
    const clocked = new FakeClock()
    const unknown = { health: createUpstreamHealth({ name: 'unknown', onProbeDue() {} }) }
    expect(answerPatience([unknown], clocked)()).toBe(2)
    expect(answerPatience([upstreamOf('near', 8, clocked), unknown], clocked)()).toBe(2)
    const patience = answerPatience([upstreamOf('far', 900, clocked), upstreamOf('less', 200, clocked)], clocked)()
    expect(patience).toBeGreaterThan(18)
    expect(patience).toBeLessThan(22)
  })

  it('follows the upstreams', async () => {
    const clocked = new FakeClock()
    const upstream = { health: createUpstreamHealth({ name: 'a', onProbeDue() {} }) }
    const patience = answerPatience([upstream], clocked)
    expect(patience()).toBe(2)
    for (let i = 0; i < 20; i++) upstream.health.succeeded(upstream.health.begin('read', 0), 100)
    await clocked.advance(1_000)
    expect(patience()).toBeGreaterThan(9)
  })
})

it.skipIf(!isRequired && missingRedis() !== undefined)(
  'gives the answers of one scope to all of it, and to no other; tells when Redis goes and comes',
  { timeout: 60_000 },
  async () => {
    await using redis = await startRedis()
    const { log, messages } = recorder()
    const [one, other] = await Promise.all([
      openSharedAnswers(redis.url, { clock, log }),
      openSharedAnswers(redis.url, { clock, log: createLog({ level: 'silent' }) }),
    ])
    const slow = { health: createUpstreamHealth({ name: 'slow', onProbeDue() {} }) }
    // So that a busy machine is waited for.
    for (let i = 0; i < 20; i++) slow.health.succeeded(slow.health.begin('read', 0), 100_000)
    const [mine, same] = [one!.of(['mainnet', 1, 'off'], [slow]), other!.of(['mainnet', 1, 'off'], [slow])]
    const kept = (): Promise<unknown> | undefined => {
      mine.set('k', answer, 60_000)
      return same.get('k', context)
    }
    await expect.poll(kept).toEqual(answer)
    for (const scope of [
      ['mainnet', 1, 'proven'],
      ['mainnet', 5, 'off'],
      ['sepolia', 1, 'off'],
    ]) {
      expect(await other!.of(scope, [slow]).get('k', context)).toBeUndefined()
    }
    // A busy machine may have taken more than a second to connect, which is told, too.
    messages.length = 0
    await redis.restart(async () => {
      await expect.poll(() => messages).toEqual(['the redis of the cache cannot be used; each process keeps its own'])
      expect(mine.get('k', context)).toBeUndefined()
      expect(one!.fault()).toBeDefined()
    })
    await expect.poll(() => messages, { timeout: 10_000 }).toContain('the redis of the cache works again')
    expect(one!.fault()).toBeUndefined()
    await Promise.all([one!.close(), other!.close()])
  },
)

it.skipIf(!isRequired && missingRedis() !== undefined)(
  'an answer that one gateway kept is given by another one, and each asks for itself while Redis is gone',
  { timeout: 60_000 },
  async () => {
    await using redis = await startRedis()
    let asked = 0
    const node = await startNode(async ({ method }) => {
      if (method !== 'web3_sha3') return { result: rawJsonFromValue('0x1') }
      asked++
      await new Promise((resolve) => setTimeout(resolve, 20))
      return { result: rawJsonFromValue(`0x${'ab'.repeat(32)}`) }
    })
    onTestFinished(() => node.close())
    const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url] } } as const
    const start = async () => {
      const gateway = await startTestGateway([], { networks, cache: { redis: redis.url } })
      onTestFinished(() => gateway.close(0))
      return gateway
    }
    const [one, other] = [await start(), await start()]
    let turn = 0
    /** Asks one after the other for something new; gives how often the node was asked. */
    const askBoth = async (): Promise<number> => {
      const before = asked
      const body = frame('web3_sha3', [`0x${(++turn).toString(16).padStart(4, '0')}`])
      for (const { rpc } of [one, other]) {
        const { status, body: text } = await send(rpc, `/v3/${key}`, { body })
        expect([status, JSON.parse(text).result]).toEqual([200, `0x${'ab'.repeat(32)}`])
      }
      return asked - before
    }
    await expect.poll(askBoth, { timeout: 20_000 }).toBe(1)
    await redis.restart(async () => {
      expect(await askBoth()).toBe(2)
    })
    await expect.poll(askBoth, { timeout: 20_000 }).toBe(1)
  },
)

it.skipIf(!isRequired && missingRedis() !== undefined)(
  'answers about final blocks that were replaced are not given, also where the network is removed and comes back',
  { timeout: 60_000 },
  async () => {
    await using redis = await startRedis()
    const chain = testChain(100, { startedAt: Math.floor(Date.now() / 1_000) - 100 })
    const node = await startChainNode(chain, 1)
    onTestFinished(() => node.close())
    let balance = '0x1'
    node.answer = (method) => ({ eth_getBalance: { result: balance }, evm_revert: { result: true } })[method]
    const other = { kind: 'evm', chainId: 2, upstreams: [node.url], followHeads: false } as const
    const mainnet = { kind: 'evm', chainId: 1, upstreams: [{ url: node.url, probe: false }] } as const
    const configOf = (networks: Config['networks']): Config => ({
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      defaultNetwork: 'mainnet' in networks ? 'mainnet' : 'other',
      projects: [{ name: 'open', keys: [{ key }] }],
      networks,
      cache: { redis: redis.url },
    })
    const lines: string[] = []
    const destination = { write: (line: string) => void lines.push(line) }
    const log = createLog({ level: 'warn', destination })
    const gateway = await startGateway(configOf({ mainnet, other }), { log })
    onTestFinished(() => gateway.close(0))
    const ask = async (method: string, params: readonly unknown[]) => {
      const { body, headers } = await send(gateway.rpc, `/v3/${key}`, { body: frame(method, params) })
      return { result: JSON.parse(body).result, cache: headers['x-wayleave-cache'] }
    }
    const accountOf = (i: number): string => `0x${i.toString(16).padStart(40, '0')}`
    let spare = 1_000
    /** Waits until the finalized block is known. */
    const warm = (): Promise<void> =>
      expect.poll(async () => (await ask('eth_getBalance', [accountOf(++spare), '0x5'])).cache).toBe('miss')
    const balances = async (): Promise<readonly unknown[]> => {
      const found: unknown[] = []
      for (let i = 0; i < 20; i++) found.push((await ask('eth_getBalance', [accountOf(i), '0x5'])).result)
      return [...new Set(found)]
    }
    await warm()
    expect(await balances()).toEqual(['0x1'])
    expect((await ask('evm_revert', ['0x1'])).result).toBe(true)
    balance = '0x2'
    await gateway.reload(configOf({ other }))
    await gateway.reload(configOf({ mainnet, other }))
    await warm()
    expect(await balances()).toEqual(['0x2'])
    // The operator's own command is no news.
    expect(lines.filter((line) => line.includes('final blocks'))).toEqual([])
  },
)
