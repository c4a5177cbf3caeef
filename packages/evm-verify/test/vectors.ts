import { readFileSync } from 'node:fs'
import type { Transaction } from '@wayleave/evm-types'
import { bytesOf, fromRaw } from './raw-transaction.ts'

interface ChainFile {
  readonly txs: readonly {
    readonly block: string
    readonly blockHash: string
    readonly index: number
    readonly type: number
    readonly hash: string
    readonly from: string
    readonly raw: string
  }[]
}

interface RecordedFile {
  readonly cases: readonly { readonly exchanges: readonly { readonly request: string; readonly response: string }[] }[]
}

interface RealFile {
  readonly transactions: readonly RealTransaction[]
  readonly ofUnknownType: readonly RealTransaction[]
}

/** A transaction of a public network, and who quotes it. */
export interface RealTransaction {
  readonly network: string
  readonly quotedBy: string
  /** Signers of the entries of its authorization list. */
  readonly authorities?: readonly string[]
  readonly tx: Transaction
}

/** Transactions of public networks as their nodes answered them: deposits, a delegation, the first one of Ethereum. */
export function realTransactions(): readonly RealTransaction[] {
  return read<RealFile>('real-transactions.json').transactions
}

/** Real transactions of types that other networks added. */
export function unknownTransactions(): readonly RealTransaction[] {
  return read<RealFile>('real-transactions.json').ofUnknownType
}

/** Every transaction of a real chain of 54 blocks, decoded from its bytes, as a node would answer it. */
export function chainTransactions(): { readonly raw: string; readonly tx: Transaction }[] {
  return read<ChainFile>('chain-transactions.json').txs.map(({ block, blockHash, index, hash, from, raw }) => {
    const place = { blockHash, blockNumber: block, transactionIndex: `0x${index.toString(16)}`, hash, from }
    return { raw, tx: { ...fromRaw(bytesOf(raw)), ...place } as Transaction }
  })
}

/** One recorded call. */
export interface RecordedCall {
  readonly method: string
  readonly params: readonly unknown[]
  /** The text of the result. */
  readonly result: string
}

/** Recorded answers of a real node that hold transactions. */
export function recordedCalls(): RecordedCall[] {
  return read<RecordedFile>('recorded-transactions.json').cases.flatMap(({ exchanges }) =>
    exchanges.map(({ request, response }) => {
      const { method, params } = JSON.parse(request) as { method: string; params: unknown[] }
      return { method, params, result: JSON.stringify((JSON.parse(response) as { result: unknown }).result) }
    }),
  )
}

/** Every transaction that stands anywhere in the recorded answers, each once. */
export function recordedTransactions(): Transaction[] {
  const found = new Map<string, Transaction>()
  const search = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    if ('r' in value && 'hash' in value) found.set((value as Transaction).hash, value as Transaction)
    else for (const member of Object.values(value)) search(member)
  }
  for (const { result } of recordedCalls()) search(JSON.parse(result))
  return [...found.values()]
}

function read<T>(file: string): T {
  return JSON.parse(readFileSync(new URL(`./vectors/${file}`, import.meta.url), 'utf8')) as T
}
