import { setTimeout as sleep } from 'node:timers/promises'
import type { OpRig } from './op-rig.ts'

/** The answers that callers saw. */
export interface Seen {
  /** Answers that were behind an earlier one of their caller, in words. */
  readonly back: string[]
  /** Calls that failed, by their words. */
  readonly errors: string[]
  /** Times of the calls for `latest`, in ms. */
  readonly latestMs: number[]
  /** When `latest` was a block or a later one, by its height, in ms. */
  readonly seenAt: Map<number, number>
  pendings: number
  receipts: number
}

export const nothingSeen = (): Seen => ({
  back: [],
  errors: [],
  latestMs: [],
  seenAt: new Map(),
  pendings: 0,
  receipts: 0,
})

interface Block {
  readonly number: string
  readonly transactions: readonly unknown[]
}

/** Asks by the URL of one project; failures are noted, and give undefined. */
function asker(url: string, { errors }: Seen) {
  return async <T>(method: string, ...params: readonly unknown[]): Promise<T | undefined> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    try {
      const response = await fetch(url, { method: 'POST', body })
      const { result, error } = (await response.json()) as { result: T; error?: { readonly message: string } }
      if (error === undefined) return result
      errors.push(`${method}: ${error.message}`)
    } catch (thrown) {
      errors.push(`${method}: ${(thrown as Error).message}`)
    }
    return undefined
  }
}

/** A caller who looks at what is not sealed, until `isOver`; before nodes that have no such, at transactions that all of them have. */
export async function lookAtPending(
  url: string,
  rig: OpRig,
  seen: Seen,
  isOver: () => boolean,
  isThere = true,
): Promise<void> {
  const ask = asker(url, seen)
  const reported: Record<string, number> = {}
  const goesOn = (what: string, value: number | undefined): void => {
    if (value === undefined) return
    if (value < (reported[what] ?? 0)) seen.back.push(`${what}: ${value} after ${reported[what]}`)
    reported[what] = value
  }
  while (!isOver()) {
    const block = await ask<Block | null>('eth_getBlockByNumber', 'pending', false)
    if (block) goesOn('pending', Number(block.number) * 1_000 + block.transactions.length)
    seen.pendings++
    const balance = await ask<string>('eth_getBalance', rig.chain.blocks[0]!.hash.slice(0, 42), 'pending')
    goesOn('balance', balance === undefined ? undefined : Number(balance))
    const hash = isThere ? rig.lastTransaction() : rig.chain.blocks.at(-3)!.transactions.at(-1)!.hash
    // A preconfirmed transaction is there for good, however often it is asked for.
    for (const method of ['eth_getTransactionReceipt', 'eth_getTransactionByHash', 'eth_getTransactionReceipt']) {
      const found = await ask<{ readonly blockNumber: string } | null>(method, hash)
      seen.receipts++
      if (found === null) seen.back.push(`${method}: null`)
      else if (found) goesOn(hash, Number(found.blockNumber))
    }
    await sleep(2)
  }
}

/** A caller who asks for the latest block again and again, until `isOver`. */
export async function lookAtLatest(url: string, seen: Seen, isOver: () => boolean): Promise<void> {
  const ask = asker(url, seen)
  let highest = 0
  while (!isOver()) {
    const start = performance.now()
    const block = await ask<Block | null>('eth_getBlockByNumber', 'latest', false)
    const end = performance.now()
    seen.latestMs.push(end - start)
    if (block) {
      const number = Number(block.number)
      if (number < highest) seen.back.push(`latest: ${number} after ${highest}`)
      for (let height = Math.max(highest + 1, number - 8); height <= number; height++) seen.seenAt.set(height, end)
      highest = Math.max(highest, number)
    }
    await sleep(2)
  }
}
