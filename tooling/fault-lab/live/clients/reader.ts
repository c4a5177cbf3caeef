import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@wayleave/conformance/two-nodes/measure/observer'
import { receiver } from '@wayleave/conformance/two-nodes/clients/client'
import type { Ledger } from '../ledger.ts'

export interface ReaderOptions {
  readonly name: string
  readonly url: string
  readonly ledger: Ledger
  readonly random: () => number
  /** The time by which the gateway answers, whatever happens to its nodes, in ms. */
  readonly deadlineMs: number
  readonly everyMs: number
  readonly onWrong: (client: string, sentence: string) => void
}

export interface ReaderFigures {
  readonly client: string
  readonly calls: number
  /** Calls that ended without an answer by their deadline. */
  readonly unsettled: number
  /** Times of all calls, failed ones too, in ms. */
  readonly medianMs: number
  readonly p99Ms: number
  readonly longestMs: number
  /** Failed calls by their message, without its numbers. */
  readonly failures: Readonly<Record<string, number>>
}

interface Reply {
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string }
}

type Block = { readonly number: string; readonly hash: string } | null
type Receipt = { readonly blockNumber: string; readonly blockHash: string } | null

/** Time beyond a deadline that is left to the machine, in ms. */
const slackMs = 1_000
const blocksBack = 30
/** Calls that are under way at a time. */
const mostOpen = 50

/** Plain JSON-RPC over HTTP: one read each `everyMs`, however long the last one takes, and every tenth time a batch. */
export function startReader(
  options: ReaderOptions,
  signal: AbortSignal,
): { readonly ended: Promise<void>; figures(): ReaderFigures } {
  const { name, url, ledger, random, deadlineMs, everyMs, onWrong } = options
  const failures: Record<string, number> = {}
  const times: number[] = []
  let calls = 0
  let unsettled = 0
  let head = 0

  async function post<T>(body: unknown): Promise<T | undefined> {
    calls++
    const began = performance.now()
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(deadlineMs + slackMs),
      })
      return (await response.json()) as T
    } catch (why) {
      if ((why as Error).name === 'TimeoutError') {
        unsettled++
        onWrong(
          name,
          `a call had no answer after ${(deadlineMs + slackMs) / 1_000} s: ${JSON.stringify(body).slice(0, 120)}`,
        )
      } else fail('the request', why)
      return undefined
    } finally {
      // Older times make room evenly, so that the rest still stands for all.
      if (times.length >= 20_000) times.splice(Math.floor(random() * times.length), 1)
      times.push(performance.now() - began)
    }
  }

  function fail(what: string, why: unknown): void {
    const key = `${what}: ${messageOf(why)}`
    failures[key] = (failures[key] ?? 0) + 1
  }

  /** Asks one thing; undefined where it failed, which is counted. */
  async function ask<T>(method: string, ...params: unknown[]): Promise<T | undefined> {
    const reply = await post<Reply>({ jsonrpc: '2.0', id: 1, method, params })
    if (reply?.error !== undefined) fail(method, new Error(reply.error.message))
    return reply?.result as T | undefined
  }

  const reported = (block: Block): void => {
    if (block === null) return
    head = Math.max(head, Number(block.number))
    ledger.block(name, Number(block.number), block.hash)
  }
  const recent = (): number => Math.max(0, head - Math.floor(random() * blocksBack))
  const hex = (number: number): string => `0x${number.toString(16)}`

  const reads: readonly (() => Promise<void>)[] = [
    async () => reported((await ask<Block>('eth_getBlockByNumber', 'latest', false)) ?? null),
    async () => {
      const number = recent()
      const block = await ask<Block>('eth_getBlockByNumber', hex(number), false)
      if (block === null) onWrong(name, `block ${number} was told as null after the head ${head}`)
      else if (block !== undefined) reported(block)
    },
    async () => {
      const known = ledger.someBlock(random())
      if (known === undefined) return
      const block = await ask<Block>('eth_getBlockByHash', known.hash, false)
      if (block === null) onWrong(name, `block ${known.number} was told, and by its hash is null`)
      else if (block !== undefined) reported(block)
    },
    async () => {
      const number = recent()
      const balance = await ask<string>('eth_getBalance', receiver, hex(number))
      if (balance !== undefined) ledger.balance(name, receiver, number, balance)
    },
    async () => {
      const transaction = ledger.someMined(random())
      if (transaction === undefined) return
      const receipt = await ask<Receipt>('eth_getTransactionReceipt', transaction)
      if (receipt === null) onWrong(name, `${transaction} was told as mined, and its receipt is null`)
      else if (receipt !== undefined) ledger.mined(name, transaction, Number(receipt.blockNumber), receipt.blockHash)
    },
  ]

  async function readBatch(): Promise<void> {
    const numbers = [recent(), recent(), recent()]
    const batch = numbers.map((number, id) => ({
      jsonrpc: '2.0',
      id,
      method: 'eth_getBlockByNumber',
      params: [hex(number), false],
    }))
    const replies = await post<readonly Reply[]>(batch)
    if (!Array.isArray(replies)) return
    for (const { result, error } of replies as readonly Reply[]) {
      if (error === undefined) reported(result as Block)
      else fail('a call of a batch', new Error(error.message))
    }
  }

  async function run(): Promise<void> {
    const open = new Set<Promise<void>>()
    for (let turn = 0; !signal.aborted; turn++) {
      if (open.size < mostOpen) {
        const read = turn % 10 === 9 ? readBatch : reads[Math.floor(random() * reads.length)]!
        const reading = read().finally(() => open.delete(reading))
        open.add(reading)
      }
      await sleep(everyMs, undefined, { signal }).catch(() => {})
    }
    await Promise.all(open)
  }

  const ended = run()
  return {
    ended,
    figures() {
      const sorted = times.toSorted((a, b) => a - b)
      const at = (part: number): number => sorted[Math.floor(sorted.length * part)] ?? 0
      const longestMs = sorted.at(-1) ?? 0
      return {
        client: name,
        calls,
        unsettled,
        medianMs: at(0.5),
        p99Ms: at(0.99),
        longestMs,
        failures: { ...failures },
      }
    },
  }
}
