import { realSurroundings, type RunningGateway } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain, type TestBlock, type TestChain } from '../../chain-node.ts'
import { frame, key, send, sleep, startTestGateway, until } from '../../support.ts'
import { openSocket, type TestSocket } from '../../web-socket-client.ts'

const height = 500

interface Scene {
  readonly gateway: RunningGateway
  readonly a: ChainNode
  readonly b: ChainNode
  readonly chain: TestChain
  cordon(name: string, isCordoned: boolean): Promise<void>
  ask(method: string, params?: readonly unknown[]): Promise<{ result?: unknown }>
  /** Makes a block, which nodes announce. */
  mine(...by: readonly ChainNode[]): void
  /** Opens a connection whose subscription is at the upstream `a`. */
  subscribe(...params: readonly unknown[]): Promise<Subscriber>
}

interface Subscriber {
  readonly socket: TestSocket
  readonly id: unknown
  /** The heads that were announced, in order. */
  heads(): readonly { readonly id: unknown; readonly block: TestBlock }[]
  numbers(): readonly number[]
}

/** Two nodes of one chain, with the names a and b. */
async function begin({ canPush = true } = {}): Promise<Scene> {
  const chain = testChain(height)
  const [a, b] = [await startChainNode(chain, 1), await startChainNode(chain, 2)]
  for (const node of [a, b]) onTestFinished(() => node.close())
  const upstreams = [
    { name: 'a', url: a.url, ws: a.ws },
    { name: 'b', url: b.url, ...(canPush && { ws: b.ws }) },
  ]
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
  const gateway = await startTestGateway([], { networks }, { surroundings: realSurroundings })
  onTestFinished(() => gateway.close(0))
  const scene: Scene = {
    gateway,
    a,
    b,
    chain,
    async cordon(name, isCordoned) {
      const path = `/upstreams/${isCordoned ? 'cordon' : 'uncordon'}?network=mainnet&upstream=${name}&why=test`
      expect((await send(gateway.admin, path, { method: 'POST' })).status).toBe(200)
    },
    async ask(method, params = []) {
      return JSON.parse((await send(gateway.rpc, `/v3/${key}`, { body: frame(method, params) })).body)
    },
    mine(...by) {
      chain.height++
      for (const node of by) node.pushHead()
    },
    async subscribe(...params) {
      await scene.ask('eth_blockNumber')
      // Both are followed.
      await until(() => a.subscribers > 0 && (b.subscribers > 0 || !canPush))
      await scene.cordon('b', true)
      const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
      socket.send(frame('eth_subscribe', params))
      const { result: id } = (await socket.next()) as { result: unknown }
      await scene.cordon('b', false)
      const heads = () =>
        socket.messages.slice(1).map((text) => {
          const { subscription, result } = JSON.parse(text).params
          return { id: subscription, block: result as TestBlock }
        })
      return { socket, id, heads, numbers: () => heads().map(({ block }) => Number(block.number)) }
    },
  }
  return scene
}

/** Has a node answer nothing any more, and announce nothing; its connections stay. */
function silence(node: ChainNode): void {
  node.answer = () => 'hang'
}

const linked = (subscriber: Subscriber): boolean =>
  subscriber.heads().every(({ block }, i, all) => i === 0 || block.parentHash === all[i - 1]!.block.hash)

describe('a subscription to new heads', () => {
  it('goes on at another upstream when its own one falls silent: the id stays, no head is lost or doubled', async () => {
    const scene = await begin()
    const { a, b } = scene
    const subscriber = await scene.subscribe('newHeads')
    scene.mine(a, b)
    await until(() => subscriber.numbers().length === 1)
    silence(a)
    for (let i = 0; i < 8; i++) {
      scene.mine(b)
      await sleep(300)
    }
    await until(() => subscriber.numbers().length === 9)
    expect(subscriber.numbers()).toEqual(Array.from({ length: 9 }, (_, i) => height + 1 + i))
    expect(linked(subscriber)).toBe(true)
    expect(new Set(subscriber.heads().map(({ id }) => id))).toEqual(new Set([subscriber.id]))
    expect(subscriber.socket.closed).toBeUndefined()
    // A head that was missed looks like one that was announced.
    const [announced, late] = subscriber
      .heads()
      .map(({ block }) => Object.keys(block).filter((name) => name !== 'uncles' && name !== 'transactions'))
    expect(late).toEqual(announced)
    subscriber.socket.send(frame('eth_unsubscribe', [subscriber.id], 2))
    await until(() => b.subscribers === 1)
  })

  it('leaves an upstream that answers calls, but announces nothing to its subscribers any more', async () => {
    const scene = await begin()
    const { b } = scene
    const subscriber = await scene.subscribe('newHeads')
    scene.mine(b)
    await until(() => subscriber.numbers().length === 1)
    scene.mine(b)
    await until(() => subscriber.numbers().length === 2)
    expect(subscriber.numbers()).toEqual([height + 1, height + 2])
    // It is unsubscribed there; the view of the chain stays.
    await until(() => scene.a.subscribers === 1)
  })

  it('stays where it is while its upstream announces every head, if only later than another one', async () => {
    const scene = await begin()
    const { a, b } = scene
    const subscriber = await scene.subscribe('newHeads')
    for (let i = 0; i < 6; i++) {
      a.lag = 1
      scene.mine(b)
      await sleep(400)
      a.lag = 0
      a.pushHead()
      await sleep(50)
    }
    expect(subscriber.numbers()).toEqual(Array.from({ length: 6 }, (_, i) => height + 1 + i))
    expect([a.subscribers, b.subscribers]).toEqual([2, 1])
  })

  it('goes on at another upstream when its own one dies', async () => {
    const scene = await begin()
    const { a, b } = scene
    const subscriber = await scene.subscribe('newHeads')
    scene.mine(a, b)
    await until(() => subscriber.numbers().length === 1)
    await a.stop()
    for (let i = 0; i < 4; i++) {
      scene.mine(b)
      await sleep(50)
    }
    await until(() => subscriber.numbers().length === 5)
    expect(subscriber.numbers()).toEqual([1, 2, 3, 4, 5].map((i) => height + i))
    expect(linked(subscriber)).toBe(true)
    expect(subscriber.socket.closed).toBeUndefined()
  })

  it('leaves an upstream that is cordoned', async () => {
    const scene = await begin()
    const { a, b } = scene
    const subscriber = await scene.subscribe('newHeads')
    await scene.cordon('a', true)
    await until(() => a.subscribers === 1 && b.subscribers === 2)
    scene.mine(a, b)
    await until(() => subscriber.numbers().length === 1)
    expect(subscriber.numbers()).toEqual([height + 1])
  })

  it('ends within a moment after its upstream where the other one is not well', async () => {
    const scene = await begin()
    const { a, b } = scene
    const subscriber = await scene.subscribe('newHeads')
    await Promise.all([a.stop(), b.stop()])
    await until(() => subscriber.socket.closed !== undefined)
    expect(subscriber.socket.closed).toEqual({ code: 1013, reason: 'the subscription ended upstream' })
  })

  it('ends with its upstream where no other one can push', async () => {
    const scene = await begin({ canPush: false })
    const subscriber = await scene.subscribe('newHeads')
    await scene.a.stop()
    await until(() => subscriber.socket.closed !== undefined)
    expect(subscriber.socket.closed).toEqual({ code: 1013, reason: 'the subscription ended upstream' })
  })
})

describe('a subscription to logs', () => {
  it('ends as if the connection had broken when its upstream falls silent and another one can push', async () => {
    const scene = await begin()
    const subscriber = await scene.subscribe('logs', {})
    silence(scene.a)
    scene.mine(scene.b)
    await until(() => subscriber.socket.closed !== undefined)
    expect(subscriber.socket.closed).toEqual({ code: 1013, reason: 'the subscription ended upstream' })
  })

  it('stays at a silent upstream where no other one can push', async () => {
    const scene = await begin({ canPush: false })
    const subscriber = await scene.subscribe('logs', {})
    silence(scene.a)
    scene.mine()
    await until(() => scene.a.subscribers > 0)
    for (let i = 0; i < 10; i++) {
      await sleep(400)
      await scene.ask('eth_blockNumber')
    }
    expect(subscriber.socket.closed).toBeUndefined()
  })
})

describe('a new subscription', () => {
  it('is opened at no upstream that is silent or behind', async () => {
    const scene = await begin()
    const { a, b } = scene
    await scene.ask('eth_blockNumber')
    await until(() => a.subscribers === 1 && b.subscribers === 1)
    let asked = 0
    a.answer = (method) => {
      if (method === 'eth_subscribe') asked++
      return method === 'eth_chainId' ? undefined : 'hang'
    }
    for (let i = 0; i < 4; i++) scene.mine(b)
    const status = async () => (await send(scene.gateway.admin, '/status?network=mainnet')).body
    while (!/does not tell its head|stands at block/.test(await status())) await sleep(50)
    for (let i = 0; i < 10; i++) {
      const socket = await openSocket(`${scene.gateway.ws}/ws/v3/${key}`)
      socket.send(frame('eth_subscribe', ['newHeads']))
      expect(await socket.next()).toHaveProperty('result')
    }
    expect(asked).toBe(0)
    expect(b.subscribers).toBe(11)
  })

  it('is opened at another upstream while one does not answer the question for it', async () => {
    const scene = await begin()
    const { a, b } = scene
    await scene.ask('eth_blockNumber')
    await until(() => a.subscribers === 1 && b.subscribers === 1)
    a.answer = (method) => (method === 'eth_subscribe' ? 'hang' : undefined)
    for (let i = 0; i < 6; i++) {
      const socket = await openSocket(`${scene.gateway.ws}/ws/v3/${key}`)
      socket.send(frame('eth_subscribe', ['logs', {}]))
      expect(await socket.next()).toHaveProperty('result', expect.stringMatching(/^0x/))
    }
  })
})
