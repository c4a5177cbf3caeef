import {
  type RawJson,
  rawJsonFromValue,
  RpcError,
  type RpcErrorCode,
  type RpcHandler,
  type RpcResponse,
  type RpcSink,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  type ChainView,
  type ChainViewOptions,
  createChainView,
  type Endpoint,
  type Header,
  type HeadReader,
  type HeadUpdate,
} from '@wayleave/upstream'
import { call } from '../support.ts'

/** A chain that tests make block by block; its hashes are `fork-number`. */
class TestChain {
  readonly blocks: Header[] = []
  readonly name: string
  readonly #clock: FakeClock
  #forks = 0

  constructor(clock: FakeClock, name = '0x') {
    this.#clock = clock
    this.name = name
    this.mine()
  }

  get head(): Header {
    return this.blocks.at(-1)!
  }

  mine(count = 1): void {
    for (let i = 0; i < count; i++) {
      const number = this.blocks.length
      const parentHash = this.blocks.at(-1)?.hash
      const timestamp = Math.floor(this.#clock.date() / 1_000)
      this.blocks.push({ number, hash: `${this.name}${this.#forks}-${number}`, parentHash, timestamp })
    }
  }

  /** Replaces the last `depth` blocks by `count` others. */
  reorg(depth: number, count = depth): void {
    this.#forks++
    this.blocks.length -= depth
    this.mine(count)
  }

  /** Makes a chain with the same blocks that goes its own way from here. */
  fork(name: string): TestChain {
    const other = new TestChain(this.#clock, name)
    other.blocks.splice(0, 1, ...this.blocks)
    return other
  }

  at(number: number): Header | undefined {
    return this.blocks[number]
  }
}

/** A node of a scripted upstream. */
export interface TestNode {
  chain: TestChain
  chainId: string | undefined
  /** Blocks that it is behind its chain, or its fixed height. */
  lag: number
  height: number | undefined
  safeLag: number
  latencyMs: number
  mode: 'up' | 'hang' | RpcErrorCode
  /** Answers to the question for a parent that are null, as of a node behind the one before. */
  missedParents: number
  /** Its answer to that question otherwise; undefined: the block. */
  parents: 'null' | 'error' | 'hang' | undefined
  /** A head that no chain leads to; undefined: its own. */
  lie: Header | undefined
  /** Whether it fails this very call. */
  flaky: () => boolean
  readonly asked: string[]
  readonly sinks: Set<RpcSink>
  readonly endpoint: Endpoint
  head(): Header
  /** Pushes its head to its subscribers. */
  push(): void
  /** Breaks its connections. */
  drop(): void
}

const reader: HeadReader = {
  chainId: call('chainId'),
  expectedChain: '0x1',
  chainOf: (response) => valueOf(response) as string | undefined,
  head: (tag) => call('block', [tag]),
  block: (hash) => call('parent', [hash]),
  positionOf: (response) => headerOf(valueOf(response)),
  newHeads: call('subscribe'),
  positionOfPush: (item: RawJson) => headerOf(item.value()),
}

function valueOf({ result }: RpcResponse): unknown {
  return result === undefined || 'streaming' in result ? undefined : (result.value() ?? undefined)
}

function headerOf(value: unknown): Header | undefined {
  return typeof value === 'object' && value !== null && 'hash' in value ? (value as Header) : undefined
}

/** Steps of simulated time, in ms. */
export const stepMs = 50

export interface Scene {
  readonly clock: FakeClock
  readonly chain: TestChain
  readonly nodes: readonly TestNode[]
  readonly view: ChainView
  readonly updates: HeadUpdate[]
  /** Changes that the view told, as `name health chain`. */
  readonly changes: string[]
  /** Lets time pass; `each` runs after every step. */
  run(ms: number, each?: () => void): Promise<void>
  /** Lets time pass in which a block is mined every `blockMs`. */
  mineFor(ms: number, blockMs?: number): Promise<void>
  healthByName(): string
}

export interface SceneOptions extends Partial<ChainViewOptions> {
  readonly count?: number
  readonly pushing?: boolean
  readonly height?: number
}

/** Makes `count` nodes (a, b, c, …) of one chain and a view over them. Nobody has asked yet. */
export function createScene({ count = 3, pushing = false, height = 99, ...options }: SceneOptions = {}): Scene {
  const clock = new FakeClock()
  const chain = new TestChain(clock)
  chain.mine(height)
  const nodes = Array.from({ length: count }, (_, i) => createNode('abcdefgh'[i]!, chain, clock, pushing))
  const updates: HeadUpdate[] = []
  const changes: string[] = []
  const view = createChainView({
    endpoints: nodes.map(({ endpoint }) => endpoint),
    reader,
    clock,
    blockTimeMs: 1_000,
    onChange: ({ name }, { health, chain: state }) => changes.push(`${name} ${health} ${state}`),
    ...options,
  })
  view.watch((update) => updates.push(update))

  async function run(ms: number, each?: () => void): Promise<void> {
    for (let passed = 0; passed < ms; passed += stepMs) {
      clock.advance(Math.min(stepMs, ms - passed))
      await settled()
      each?.()
    }
    await settled()
  }

  return {
    clock,
    chain,
    nodes,
    view,
    updates,
    changes,
    run,
    async mineFor(ms, blockMs = 1_000) {
      for (let passed = 0; passed < ms; passed += blockMs) {
        chain.mine()
        for (const node of nodes) node.push()
        view.wanted()
        await run(blockMs)
      }
    },
    healthByName: () => nodes.map(({ endpoint }) => view.of(endpoint).health).join(' '),
  }
}

/** Lets everything that is ready run. */
export const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

function createNode(name: string, chain: TestChain, clock: FakeClock, pushing: boolean): TestNode {
  const asked: string[] = []
  const sinks = new Set<RpcSink>()
  const handler: RpcHandler = async (request) => {
    const [tag] = (request.params?.value() ?? []) as string[]
    asked.push(tag ?? request.method)
    if (node.latencyMs > 0) await new Promise<void>((resolve) => void clock.after(node.latencyMs, resolve))
    if (node.mode === 'hang') return new Promise<never>(() => {})
    if (node.mode !== 'up') throw new RpcError(node.mode, 'the node is out of order')
    if (node.flaky()) throw new RpcError('http_status', 'the node stumbled', { httpStatus: 503 })
    if (request.method === 'chainId') {
      if (node.chainId === undefined) return { error: { code: -32601, message: 'no such method' } }
      return { result: rawJsonFromValue(node.chainId) }
    }
    if (request.method === 'subscribe') return subscribed(sinks)
    const head = node.head()
    if (request.method === 'parent') {
      if (node.parents === 'hang') return new Promise<never>(() => {})
      if (node.parents === 'error') return { error: { code: -32000, message: 'no block' } }
      const isMissed = node.parents === 'null' || node.missedParents-- > 0
      return {
        result: rawJsonFromValue(isMissed ? null : (node.chain.blocks.find(({ hash }) => hash === tag) ?? null)),
      }
    }
    if (tag === 'latest') return { result: rawJsonFromValue(head) }
    return { result: rawJsonFromValue(node.chain.at(head.number - node.safeLag * (tag === 'safe' ? 1 : 2)) ?? null) }
  }
  const node: TestNode = {
    chain,
    chainId: '0x1',
    lag: 0,
    height: undefined,
    safeLag: 16,
    latencyMs: 0,
    missedParents: 0,
    parents: undefined,
    lie: undefined,
    mode: 'up',
    flaky: () => false,
    asked,
    sinks,
    endpoint: { name, carriesSubscriptions: pushing, handler },
    head() {
      if (node.lie !== undefined) return node.lie
      const top = node.chain.head.number
      return node.chain.at(Math.max(0, Math.min(node.height ?? top - node.lag, top)))!
    },
    push() {
      if (node.mode === 'up') for (const sink of sinks) sink.event('heads', rawJsonFromValue(node.head()))
    },
    drop() {
      for (const sink of sinks) sink.end(new RpcError('disconnected', 'the connection broke'))
      sinks.clear()
    },
  }
  return node
}

function subscribed(sinks: Set<RpcSink>): RpcResponse {
  return {
    result: rawJsonFromValue('0x1'),
    subscription: {
      id: '0x1',
      open(sink) {
        sinks.add(sink)
        return () => sinks.delete(sink)
      },
    },
  }
}
