import { setTimeout as sleep } from 'node:timers/promises'
import { type Address, createPublicClient, http } from 'viem'
import type { ClockChain } from '../chain/clock-chain.ts'
import { type StreamClient, type StreamTarget, type Reported, wordsOf } from './stream-client.ts'
import { ticked } from './viem.ts'

const pollMs = 500

/** viem: a filter of logs and one of blocks, polled over HTTP; `numberOf` tells the blocks' heights by their hashes. */
export function viemFilters(numberOf: ClockChain['numberOf']) {
  return async ({ url, filter }: StreamTarget, reported: Reported): Promise<StreamClient> => {
    const client = createPublicClient({ transport: http(url) })
    const logs = await client.createEventFilter({ address: filter.address as Address, event: ticked })
    const blocks = await client.createBlockFilter()
    const closing = new AbortController()
    const { signal } = closing

    async function poll<T>(changes: () => Promise<readonly T[]>, each: (change: T) => void): Promise<void> {
      while (!signal.aborted) {
        await changes().then(
          (all) => all.forEach(each),
          (why: unknown) => reported.failed(wordsOf(why)),
        )
        await sleep(pollMs, undefined, { signal }).catch(() => {})
      }
    }

    const polling = Promise.all([
      poll(
        () => client.getFilterChanges({ filter: logs }),
        ({ blockNumber, logIndex, removed }) => reported.log({ block: Number(blockNumber), index: logIndex, removed }),
      ),
      poll(
        () => client.getFilterChanges({ filter: blocks }),
        (hash) => reported.head(numberOf(hash) ?? -1),
      ),
    ])
    return {
      name: 'viem',
      async [Symbol.asyncDispose]() {
        closing.abort()
        await polling
      },
    }
  }
}
