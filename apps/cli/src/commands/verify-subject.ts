import type { AccountProof, Block, Hash, Hex, Receipt, Transaction } from '@wayleave/evm-types'
import {
  headerHash,
  logsBloom,
  receiptsRoot,
  transactionHash,
  transactionSender,
  transactionsRoot,
  unclesHash,
  withdrawalsRoot,
} from '@wayleave/evm-verify'

/** A call whose answer is verified. */
export interface Question {
  /** The name of an answer that has no members. */
  readonly name: string
  /** A prefix for the names of the answer's members. */
  readonly path: string
  readonly method: string
  readonly params: readonly unknown[]
  /** Recomputes members from the answer and from everything fetched with it. @throws VerifyError, TypeError */
  readonly recompute: (answer: unknown, fetched: ReadonlyMap<string, unknown>) => Readonly<Record<string, string>>
  /** Returns the claims to compare with. Default: the members of the answer. */
  readonly claim?: (answer: unknown, fetched: ReadonlyMap<string, unknown>) => Readonly<Record<string, unknown>>
}

/** A number, tag or hash. Undefined means the anchor's block, else the latest. */
type AskedBlock = string | undefined

/** The subject as the caller names it. */
export type Asked =
  | { readonly kind: 'tx'; readonly hash: Hash }
  | { readonly kind: 'block' | 'receipts'; readonly block: AskedBlock }
  | { readonly kind: 'account'; readonly address: Hex; readonly block: AskedBlock }
  | { readonly kind: 'storage'; readonly address: Hex; readonly position: Hex; readonly block: AskedBlock }

/** The questions that verify a subject. */
export interface Subject {
  /** The block of a subject that is in one; all questions name it by its hash. */
  readonly block?: { readonly parameter: AskedBlock }
  readonly questions: (block: Hash | undefined) => readonly Question[]
}

export function subjectOf(asked: Asked): Subject {
  switch (asked.kind) {
    case 'tx':
      return transactionSubject(asked.hash)
    case 'block':
      return blockSubject(asked.block)
    case 'receipts':
      return receiptsSubject(asked.block)
    case 'account':
      return accountSubject(asked.address, asked.block)
    case 'storage':
      return storageSubject(asked.address, asked.position, asked.block)
  }
}

function transactionSubject(hash: Hash): Subject {
  return {
    questions: () => [
      {
        name: 'transaction',
        path: '',
        method: 'eth_getTransactionByHash',
        params: [hash],
        recompute: (answer) => ({
          hash: transactionHash(answer as Transaction),
          from: transactionSender(answer as Transaction),
        }),
      },
    ],
  }
}

function blockSubject(parameter: AskedBlock): Subject {
  return {
    block: { parameter },
    questions: (hash) => [
      { name: 'block', path: '', method: 'eth_getBlockByHash', params: [hash, true], recompute: recomputeBlock },
    ],
  }
}

function receiptsSubject(parameter: AskedBlock): Subject {
  return {
    block: { parameter },
    questions: (hash) => [
      {
        name: 'receipts',
        path: 'receipts.',
        method: 'eth_getBlockReceipts',
        params: [hash],
        claim: (answer, fetched) => {
          const { receiptsRoot: root, logsBloom: bloom, gasUsed } = fetched.get('eth_getBlockByHash') as Block
          return { receipts: answer, receiptsRoot: root, logsBloom: bloom, gasUsed }
        },
        recompute(answer) {
          const receipts = answer as readonly Receipt[]
          return {
            receiptsRoot: receiptsRoot(receipts),
            logsBloom: logsBloom(receipts.flatMap(({ logs }) => logs)),
            gasUsed: receipts.at(-1)?.cumulativeGasUsed ?? '0x0',
          }
        },
      },
    ],
  }
}

function accountSubject(address: Hex, parameter: AskedBlock): Subject {
  const proofOf = (fetched: ReadonlyMap<string, unknown>): AccountProof => fetched.get('eth_getProof') as AccountProof
  const one = (
    name: string,
    method: string,
    hash: Hash | undefined,
    member: (proof: AccountProof) => string,
  ): Question => ({
    name,
    path: '',
    method,
    params: [address, { blockHash: hash }],
    recompute: (_answer, fetched) => ({ [name]: member(proofOf(fetched)) }),
  })
  return {
    block: { parameter },
    questions: (hash) => [
      one('balance', 'eth_getBalance', hash, ({ balance }) => balance),
      one('nonce', 'eth_getTransactionCount', hash, ({ nonce }) => nonce),
      {
        name: 'code',
        path: '',
        method: 'eth_getCode',
        params: [address, { blockHash: hash }],
        recompute: () => ({}),
      },
    ],
  }
}

function storageSubject(address: Hex, position: Hex, parameter: AskedBlock): Subject {
  return {
    block: { parameter },
    questions: (hash) => [
      {
        name: 'value',
        path: '',
        method: 'eth_getStorageAt',
        params: [address, position, { blockHash: hash }],
        recompute: (_answer, fetched) => {
          const { storageProof } = fetched.get('eth_getProof') as AccountProof
          // A proof holds a number, and the answer is a word of 32 bytes.
          return { value: `0x${storageProof[0]!.value.slice(2).padStart(64, '0')}` }
        },
      },
    ],
  }
}

function recomputeBlock(answer: unknown): Readonly<Record<string, string>> {
  const { transactions, withdrawals, uncles, ...header } = answer as Block
  return {
    hash: headerHash(header),
    transactionsRoot: transactionsRoot(transactions as readonly Transaction[]),
    ...(uncles?.length === 0 ? { sha3Uncles: unclesHash([]) } : {}),
    ...(withdrawals == null ? {} : { withdrawalsRoot: withdrawalsRoot(withdrawals) }),
  }
}
