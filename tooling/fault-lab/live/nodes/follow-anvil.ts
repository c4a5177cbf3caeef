import { setTimeout as sleep } from 'node:timers/promises'
import { askNode } from '@wayleave/conformance/two-nodes/nodes/ask-node'
import type { NodeProcess } from '@wayleave/conformance/two-nodes/nodes/node-process'
import { askBatch } from './ask-batch.ts'
import { hand, poolOf, type RawTransactions } from './anvil-pool.ts'

/** A block of the chain, as an anvil has to mine it to get the same hash. */
export interface ChainBlock {
  readonly number: number
  readonly hash: string
  readonly timestamp: number
  readonly transactions: readonly { readonly hash: string; readonly raw: string }[]
}

/** An anvil that takes over the blocks of a chain. */
export interface Follower extends AsyncDisposable {
  readonly node: NodeProcess
  /** Whether it runs, and is not paused. */
  readonly isAwake: () => boolean
  /** Whether it had the chain's newest block when it last looked. */
  readonly isNear: () => boolean
  kill(): Promise<void>
  start(): Promise<void>
  pause(): Promise<void>
  resume(): void
  /** Takes over all blocks there are, unless it is down or paused. */
  catchUp(): Promise<void>
}

export interface FollowerOptions {
  readonly node: NodeProcess
  /** The chain; block n stands at n. */
  readonly blocks: readonly ChainBlock[]
  readonly raws: RawTransactions
  /** Called when it mined another block than the chain's. */
  readonly onFork: (sentence: string) => void
}

/** Time that a node has for the requests that came in while it was paused, in ms, before it is given blocks. */
const wakeMs = 200

/**
 * Makes an anvil follow a chain. An anvil imports no blocks, but two anvils with equal pools and timestamps mine equal ones, down to the
 * hash. So it is given a block's transactions, rid of all others, and told to mine.
 */
export function followAnvil({ node, blocks, raws, onFork }: FollowerOptions): Follower {
  let isUp = true
  let isPaused = false
  let near = false
  let busy = Promise.resolve()
  let catchingUp: Promise<void> | undefined

  const isAwake = (): boolean => isUp && !isPaused

  /** Runs one thing at a time. */
  function inTurn(run: () => Promise<void>): Promise<void> {
    const done = busy.then(run)
    busy = done.catch(() => {})
    return done
  }

  async function takeOver({ number, hash, timestamp, transactions }: ChainBlock): Promise<void> {
    const { url } = node
    const wanted = new Map(transactions.map((each) => [each.hash, each.raw]))
    const has = await poolOf(url)
    await hand(
      url,
      transactions.filter((each) => !has.has(each.hash)).map(({ raw }) => raw),
    )
    // Asked again, as late as can be: more may have come in.
    const extras = [...(await poolOf(url))].filter((each) => !wanted.has(each))
    await raws.learn(url, extras)
    await askBatch(url, [
      ...extras.map((each) => ['anvil_dropTransaction', each] as const),
      ['evm_setNextBlockTimestamp', timestamp],
      ['evm_mine'],
    ])
    const mined = await askNode<{ hash: string } | null>(url, 'eth_getBlockByNumber', [
      `0x${number.toString(16)}`,
      false,
    ])
    if (mined?.hash !== hash) {
      onFork(`${node.name} mined another block ${number} than the chain, and starts again`)
      await node.kill()
      await node.start()
      return
    }
    await hand(
      url,
      extras.map((each) => raws.get(each)).filter((raw) => raw !== undefined),
    )
  }

  async function catchUp(): Promise<void> {
    catchingUp = undefined
    while (isAwake()) {
      const head = Number(await askNode<string>(node.url, 'eth_blockNumber'))
      const next = blocks[head + 1]
      near = next === undefined
      if (next === undefined) return
      await takeOver(next)
    }
  }

  return {
    node,
    isAwake,
    isNear: () => isAwake() && near,
    // A node that is killed amid a call answers it no more.
    catchUp: () => (catchingUp ??= inTurn(catchUp).catch(() => {})),
    async kill() {
      isUp = near = false
      await node.kill()
    },
    async start() {
      await busy
      await node.start()
      isUp = true
    },
    async pause() {
      // No call of the rig may be answered after the pause: the node would mine when nobody expects it.
      isPaused = true
      near = false
      await busy
      node.pause()
    },
    resume() {
      node.resume()
      void inTurn(async () => {
        await sleep(wakeMs)
        isPaused = false
      })
    },
    async [Symbol.asyncDispose]() {
      isUp = false
      await node.kill()
      await busy
    },
  }
}
