import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '@wayleave/conformance/two-nodes/measure/observer'
import { type ClientTarget, fees as usualFees, receiver } from '@wayleave/conformance/two-nodes/clients/client'
import { JsonRpcProvider } from 'ethers'
import { createPublicClient, http, keccak256 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { Ledger } from '../ledger.ts'

/** The calls of a library by which a transaction is sent and waited for. */
export interface WriterLibrary extends AsyncDisposable {
  readonly name: string
  /** Returns the hash as the library tells it. */
  send(raw: `0x${string}`): Promise<string>
  /** Waits for the receipt. @throws where it does not come in time. */
  wait(hash: `0x${string}`, withinMs: number): Promise<{ readonly number: number; readonly blockHash: string }>
  pendingNonce(address: `0x${string}`): Promise<number>
}

/** viem over HTTP: `sendRawTransaction`, `waitForTransactionReceipt`. */
export function viemWriter({ url }: ClientTarget): WriterLibrary {
  const client = createPublicClient({ transport: http(url), pollingInterval: 500 })
  return {
    name: 'viem writer',
    send: (serializedTransaction) => client.sendRawTransaction({ serializedTransaction }),
    async wait(hash, timeout) {
      const { blockNumber, blockHash } = await client.waitForTransactionReceipt({ hash, timeout })
      return { number: Number(blockNumber), blockHash }
    },
    pendingNonce: (address) => client.getTransactionCount({ address, blockTag: 'pending' }),
    async [Symbol.asyncDispose]() {},
  }
}

/** ethers over HTTP: `broadcastTransaction`, `waitForTransaction`. */
export function ethersWriter({ url, chainId }: ClientTarget): WriterLibrary {
  const provider = new JsonRpcProvider(url, chainId, { staticNetwork: true, pollingInterval: 500, cacheTimeout: -1 })
  return {
    name: 'ethers writer',
    send: async (raw) => (await provider.broadcastTransaction(raw)).hash,
    async wait(hash, withinMs) {
      const receipt = await provider.waitForTransaction(hash, 1, withinMs)
      if (receipt === null) throw new Error('no receipt')
      return { number: receipt.blockNumber, blockHash: receipt.blockHash }
    },
    pendingNonce: (address) => provider.getTransactionCount(address, 'pending'),
    async [Symbol.asyncDispose]() {
      provider.destroy()
    },
  }
}

export interface WriterOptions {
  readonly library: WriterLibrary
  readonly target: ClientTarget
  readonly ledger: Ledger
  readonly everyMs: number
  /** Runs what sends, at its time. */
  readonly sending: <T>(send: () => Promise<T>) => Promise<T>
  readonly onWrong: (client: string, sentence: string) => void
}

export interface WriterFigures {
  readonly client: string
  readonly sent: number
  /** Times that an accepted transaction was sent again, since its node ended before others had it. */
  readonly sentAgain: number
  readonly receipts: number
  readonly slowestSendMs: number
  /** The longest time from the acceptance of a transaction to its receipt, in ms. */
  readonly slowestReceiptMs: number
  readonly failures: Readonly<Record<string, number>>
}

/** The longest that a transaction may wait for its block, in ms. */
const minedWithinMs = 60_000
/** The time after which a wallet sends a transaction again that is in no block, in ms. */
const patienceMs = 8_000
/** Transactions that are waited for at a time. */
const mostWaiting = 40

/** Sends a transfer each `everyMs`, no two alike, and waits for each of them; after the signal only the waiting goes on. */
export function startWriter(
  options: WriterOptions,
  signal: AbortSignal,
): { readonly ended: Promise<void>; figures(): WriterFigures } {
  const { library, target, ledger, everyMs, sending, onWrong } = options
  const { chainId, fees = usualFees } = target
  const account = privateKeyToAccount(target.account.privateKey as `0x${string}`)
  const failures: Record<string, number> = {}
  const counts = { sent: 0, sentAgain: 0, receipts: 0, slowestSendMs: 0, slowestReceiptMs: 0 }
  const waiting = new Set<Promise<void>>()
  const unmined = new Set<number>()
  const wrong = (sentence: string): void => onWrong(library.name, sentence)
  const fail = (what: string, why: unknown): void => {
    const key = `${what}: ${messageOf(why)}`
    failures[key] = (failures[key] ?? 0) + 1
  }
  const pause = (ms: number): Promise<void> => sleep(ms, undefined, { signal }).catch(() => {})

  async function awaitReceipt(hash: `0x${string}`, raw: `0x${string}`, nonce: number): Promise<void> {
    const began = performance.now()
    const until = began + minedWithinMs
    for (;;) {
      try {
        const { number, blockHash } = await library.wait(hash, Math.min(patienceMs, until - performance.now()))
        ledger.mined(library.name, hash, number, blockHash)
        counts.receipts++
        counts.slowestReceiptMs = Math.max(counts.slowestReceiptMs, performance.now() - began)
        return
      } catch (why) {
        if (!/time(d )?out/i.test(messageOf(why))) fail('waiting', why)
        if (performance.now() + 100 > until) {
          return wrong(`${hash} was accepted, and had no receipt after ${minedWithinMs / 1_000} s`)
        }
        await sleep(100)
        // Those behind it wait for it.
        if (nonce === Math.min(...unmined)) await sendAgain(raw)
      }
    }
  }

  async function sendAgain(raw: `0x${string}`): Promise<void> {
    counts.sentAgain++
    await sending(() => library.send(raw)).catch((why: unknown) => fail('sending again', why))
  }

  async function sendOne(nonce: number, value: number): Promise<boolean> {
    const to = receiver as `0x${string}`
    const transaction = { to, value: BigInt(value), gas: 21_000n, nonce, type: 'eip1559', chainId, ...fees } as const
    const raw = await account.signTransaction(transaction)
    const hash = keccak256(raw)
    const began = performance.now()
    try {
      const reported = await sending(() => library.send(raw))
      if (reported !== hash) wrong(`the hash of ${hash} was told as ${reported}`)
      ledger.sent(library.name, hash)
      counts.sent++
      unmined.add(nonce)
      const receipt = awaitReceipt(hash, raw, nonce).finally(() => {
        unmined.delete(nonce)
        waiting.delete(receipt)
      })
      waiting.add(receipt)
      return true
    } catch (why) {
      fail('sending', why)
      ledger.sent(library.name, hash, messageOf(why))
      return false
    } finally {
      counts.slowestSendMs = Math.max(counts.slowestSendMs, performance.now() - began)
    }
  }

  async function run(): Promise<void> {
    let nonce: number | undefined
    for (let value = 1; !signal.aborted; value++) {
      if (nonce === undefined) {
        nonce = await library.pendingNonce(account.address).catch((why: unknown) => void fail('the pending nonce', why))
      } else if (waiting.size < mostWaiting) nonce = (await sendOne(nonce, value)) ? nonce + 1 : undefined
      await pause(everyMs)
    }
    await Promise.all(waiting)
  }

  const ended = run()
  return { ended, figures: () => ({ client: library.name, ...counts, failures: { ...failures } }) }
}
