import {
  type RawJson,
  rawJsonFromValue,
  RpcError,
  type RpcErrorObject,
  type RpcHandler,
  type RpcSink,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'

interface SimulatedBlock {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  readonly timestamp: number
  readonly baseFee: bigint
  readonly ratio: number
}

/** A chain with one block every 12 s of its clock, asked through `handler` as a node would be. */
export class SimulatedChain {
  readonly clock: FakeClock = new FakeClock()
  readonly blockTime: number
  blocks: SimulatedBlock[] = []
  /** Methods, as they were called. */
  calls: string[] = []
  /** How far the node is behind. */
  lag = 0
  /** More blocks than this are refused, or where `shortens`, left out. */
  most = 1_024
  shortens = false
  hasRewards = true
  /** Without tips. */
  isEmpty = false
  /** The node's answer to `eth_maxPriorityFeePerGas`; without one it has no such method. */
  nodeTip: bigint | undefined
  /** It answers only calls without percentiles. */
  refusesPercentiles = false
  hasBaseFee = true
  pushes = false
  failure: RpcError | undefined
  readonly errors = new Map<string, RpcErrorObject>()
  readonly #sinks = new Set<RpcSink>()
  #minted = 0

  /** Seconds by which the times of blocks are behind the clock. */
  readonly behind: number

  /** A `seed` of its own makes another chain of the same length. */
  constructor({ blocks = 600, blockTime = 12, seed = 0, behind = 0 } = {}) {
    this.behind = behind
    this.blockTime = blockTime
    this.#minted = seed
    const now = Math.floor(this.clock.date() / 1_000) - behind
    for (let i = 0; i < blocks; i++) this.#mint(now - (blocks - 1 - i) * blockTime)
  }

  get head(): SimulatedBlock {
    return this.blocks.at(-1)!
  }

  get subscribers(): number {
    return this.#sinks.size
  }

  /** The base fee of the next block, as `eth_feeHistory` tells it. */
  get nextBaseFee(): bigint {
    return this.head.baseFee + 7n
  }

  /** Lets a block time pass for each, and tells it to who subscribed. */
  mine(count = 1): void {
    for (let i = 0; i < count; i++) {
      this.clock.advance(this.blockTime * 1_000)
      this.#mint(Math.floor(this.clock.date() / 1_000) - this.behind)
      this.#push()
    }
  }

  /** Drops blocks, and puts others in their place; the last of them is pushed. */
  reorganise(depth: number, count: number): void {
    this.blocks = this.blocks.slice(0, -depth)
    for (let i = 0; i < count; i++) this.#mint(this.head.timestamp + this.blockTime)
    this.#push()
  }

  endSubscriptions(): void {
    for (const sink of this.#sinks) sink.end(new RpcError('disconnected', 'the node went away'))
    this.#sinks.clear()
  }

  readonly handler: RpcHandler = async ({ method, params }, context) => {
    if (context.cancelled !== undefined) throw context.cancelled
    this.calls.push(method)
    if (this.failure !== undefined) throw this.failure
    const error = this.errors.get(method)
    if (error !== undefined) return { error }
    const args = (params?.value() ?? []) as readonly unknown[]
    switch (method) {
      case 'eth_getBlockByNumber':
        return { result: rawJsonFromValue(this.#block(args[0] as string)) }
      case 'eth_feeHistory':
        return this.#feeHistory(Number(args[0]), Number(args[1]), args[2] as readonly number[])
      case 'eth_maxPriorityFeePerGas':
        if (this.nodeTip !== undefined) return { result: rawJsonFromValue(hex(this.nodeTip)) }
        break
      case 'eth_subscribe':
        return this.pushes ? this.#subscribe() : { error: { code: -32601, message: 'notifications not supported' } }
    }
    return { error: { code: -32601, message: `the method ${method} does not exist` } }
  }

  #mint(timestamp: number): void {
    const minted = ++this.#minted
    const number = this.blocks.length
    this.blocks.push({
      number,
      hash: `0x${minted.toString(16).padStart(64, '0')}`,
      parentHash: this.blocks.at(-1)?.hash ?? `0x${'0'.repeat(64)}`,
      timestamp,
      baseFee: 1_000_000_000n + BigInt(minted) * 1_000n,
      ratio: (minted % 10) / 10,
    })
  }

  #push(): void {
    for (const sink of this.#sinks) sink.event('eth_subscription', this.#header(this.head))
  }

  #header({ number, hash, parentHash, timestamp, baseFee }: SimulatedBlock): RawJson {
    const header = { number: hex(number), hash, parentHash, timestamp: hex(timestamp) }
    return rawJsonFromValue(this.hasBaseFee ? { ...header, baseFeePerGas: hex(baseFee) } : header)
  }

  #block(tag: string): unknown {
    const newest = this.blocks.length - 1 - this.lag
    const number = tag === 'latest' ? newest : Number(tag)
    return number > newest ? null : this.#header(this.blocks[number]!).value()
  }

  #feeHistory(count: number, newest: number, percentiles: readonly number[]): Awaited<ReturnType<RpcHandler>> {
    if (newest > this.blocks.length - 1 - this.lag) {
      return { error: { code: -32000, message: 'request beyond head block' } }
    }
    if (count > this.most && !this.shortens) return { error: { code: -32000, message: 'too many blocks' } }
    if (this.refusesPercentiles && percentiles.length > 0)
      return { error: { code: -32602, message: 'too many params' } }
    const first = Math.max(0, newest + 1 - Math.min(count, this.most))
    const blocks = this.blocks.slice(first, newest + 1)
    const next = this.blocks[newest + 1]?.baseFee ?? this.nextBaseFee
    const result = {
      oldestBlock: hex(first),
      baseFeePerGas: [...blocks.map(({ baseFee }) => hex(baseFee)), hex(next)],
      gasUsedRatio: blocks.map(({ ratio }) => ratio),
      ...(this.hasRewards
        ? {
            reward: blocks.map(({ number }) =>
              percentiles.map((each) => hex(this.isEmpty ? 0 : BigInt(number) * 10n + BigInt(each))),
            ),
          }
        : {}),
    }
    return { result: rawJsonFromValue(result) }
  }

  #subscribe(): Awaited<ReturnType<RpcHandler>> {
    return {
      result: rawJsonFromValue('0x1'),
      subscription: {
        id: '0x1',
        open: (sink) => {
          this.#sinks.add(sink)
          return () => this.#sinks.delete(sink)
        },
      },
    }
  }
}

function hex(value: number | bigint): string {
  return `0x${value.toString(16)}`
}

/** Lets everything happen that waits for no timer. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 4; i++) {
    await new Promise((resolve) => void setImmediate(resolve))
  }
}
