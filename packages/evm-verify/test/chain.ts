import { readFileSync } from 'node:fs'
import { keccak_256 } from '@noble/hashes/sha3.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import type { Block, Hex, Quantity, Transaction, Uncle, Withdrawal } from '@wayleave/evm-types'
import { decodeRlp } from '../src/rlp-decode.ts'
import { encodeRlp, type RlpItem } from '../src/rlp.ts'
import { chainTransactions } from './vectors.ts'

const hex = (bytes: Uint8Array): Hex => `0x${bytesToHex(bytes)}`
const quantity = (bytes: Uint8Array): Quantity => `0x${bytesToHex(bytes).replace(/^0/, '') || '0'}`

const quantities = [
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'baseFeePerGas',
  'blobGasUsed',
  'excessBlobGas',
]
const names = [
  'parentHash',
  'sha3Uncles',
  'miner',
  'stateRoot',
  'transactionsRoot',
  'receiptsRoot',
  'logsBloom',
  'difficulty',
  'number',
  'gasLimit',
  'gasUsed',
  'timestamp',
  'extraData',
  'mixHash',
  'nonce',
  'baseFeePerGas',
  'withdrawalsRoot',
  'blobGasUsed',
  'excessBlobGas',
  'parentBeaconBlockRoot',
  'requestsHash',
]

/** A header as a node tells it, with its hash. */
function fromHeaderItems(items: readonly Uint8Array[]): Uncle {
  const members = items.map((item, i): [string, Hex] => {
    const name = names[i]!
    return [name, quantities.includes(name) ? quantity(item) : hex(item)]
  })
  return { ...Object.fromEntries(members), hash: hex(keccak_256(encodeRlp(items))) } as unknown as Uncle
}

/** One block of the chain, as a node would tell it with full transactions, and the headers of its uncles. */
export interface ChainBlock {
  readonly raw: Uint8Array
  readonly block: Block
  readonly uncles: readonly Uncle[]
}

/**
 * Every block of a real chain of 54, with transactions of all types, and forks from before Byzantium to Osaka.
 * Origin: ethereum/execution-apis, tests/chain.rlp, CC0.
 */
export function chainBlocks(): ChainBlock[] {
  const file = new Uint8Array(readFileSync(new URL('./vectors/chain-osaka.rlp', import.meta.url)))
  const transactions = Map.groupBy(chainTransactions(), ({ tx }) => tx.blockHash!)
  const blocks: ChainBlock[] = []
  for (let at = 0; at < file.length;) {
    const size = file[at]! - 0xf7
    const end = at + 1 + size + Number(hex(file.subarray(at + 1, at + 1 + size)))
    blocks.push(fromRawBlock(file.slice(at, end), transactions))
    at = end
  }
  return blocks
}

type ByHash = Map<Hex | null, { readonly tx: Transaction }[]>

function fromRawBlock(raw: Uint8Array, transactions: ByHash): ChainBlock {
  const [header, , uncles, withdrawals] = decodeRlp(raw) as [Uint8Array[], RlpItem[], Uint8Array[][], Uint8Array[][]?]
  const reported = fromHeaderItems(header)
  const uncleHeaders = uncles.map(fromHeaderItems)
  const block: Block = {
    ...reported,
    size: `0x${raw.length.toString(16)}`,
    uncles: uncleHeaders.map(({ hash }) => hash!),
    transactions: (transactions.get(reported.hash) ?? []).map(({ tx }) => ({
      ...tx,
      blockTimestamp: reported.timestamp,
    })),
    ...(withdrawals === undefined ? {} : { withdrawals: withdrawals.map(withdrawalOf) }),
  }
  return { raw, block, uncles: uncleHeaders }
}

function withdrawalOf([index, validatorIndex, address, amount]: Uint8Array[]): Withdrawal {
  return {
    index: quantity(index!),
    validatorIndex: quantity(validatorIndex!),
    address: hex(address!),
    amount: quantity(amount!),
  }
}

/** A recorded answer, with what was asked. */
export interface RecordedAnswer {
  readonly method: string
  readonly params: readonly unknown[]
  readonly result: unknown
}

/** Answers of a real node on the same chain. Origin: ethereum/execution-apis, tests, CC0. */
export function recordedAnswers(method: string, file = 'recorded-blocks.json'): RecordedAnswer[] {
  const { cases } = JSON.parse(readFileSync(new URL(`./vectors/${file}`, import.meta.url), 'utf8')) as {
    cases: { exchanges: { request: string; response: string }[] }[]
  }
  return cases
    .flatMap(({ exchanges }) => exchanges)
    .map(({ request, response }) => ({
      ...(JSON.parse(request) as RecordedAnswer),
      ...(JSON.parse(response) as object),
    }))
    .filter((answer) => answer.method === method)
}
