import { type Header, type Hex, type Log, type Receipt } from '@wayleave/evm-types'
import { headerHash } from '@wayleave/evm-verify'
import type { FullBlock } from './verify-block.ts'

/** A chain of blocks with the same contents, each of which can be proven. */
export interface ProvableChain {
  /** The height of the first block that there is. */
  readonly first: number
  /** The address of a log in every block. */
  readonly address: Hex
  /** Adds a block. */
  grow(): void
  /** Answers a call about its blocks by the JSON text of a result; undefined: it is about something else. */
  answer(method: string, params: readonly unknown[]): string | undefined
}

/** A header of the chain: the contents are those of all. */
type Linked = Header & { readonly number: Hex; readonly hash: Hex }

export function createProvableChain({ block, receipts }: FullBlock, length: number): ProvableChain {
  const { transactions, ...members } = block
  const first = Number(members.number)
  const headers: Linked[] = []
  const byHash = new Map<unknown, Linked>()

  function grow(): void {
    const number = hex(first + headers.length)
    const timestamp = hex(Number(members.timestamp) + 12 * headers.length)
    const parentHash = headers.at(-1)?.hash ?? members.parentHash
    const header = { ...members, number, timestamp, parentHash }
    const linked = { ...header, hash: headerHash(header as unknown as Header) } as unknown as Linked
    headers.push(linked)
    byHash.set(linked.hash, linked)
  }
  for (let i = 0; i < length; i++) grow()

  function find(place: unknown): Linked | undefined {
    if (place === 'latest' || place === undefined) return headers.at(-1)
    if (place === 'safe' || place === 'finalized') return headers[0]
    return byHash.get(place) ?? headers[Number(place) - first]
  }

  const placeOf = ({ number: blockNumber, hash: blockHash, timestamp: blockTimestamp }: Linked) => ({
    blockNumber,
    blockHash,
    blockTimestamp,
  })

  function receiptsOf(header: Linked): readonly Receipt[] {
    const place = placeOf(header)
    return receipts.map((receipt) => ({
      ...receipt,
      ...place,
      logs: receipt.logs.map((log) => ({ ...log, ...place })),
    })) as unknown as readonly Receipt[]
  }

  function logsOf({ blockHash, fromBlock, toBlock, address }: Readonly<Record<string, string>>): readonly Log[] {
    const [from, to] = blockHash === undefined ? [find(fromBlock), find(toBlock)] : [find(blockHash), find(blockHash)]
    if (from === undefined || to === undefined) return []
    const within = headers.slice(Number(from.number) - first, Number(to.number) - first + 1)
    const all = within.flatMap((header) => receiptsOf(header).flatMap(({ logs }) => logs))
    return address === undefined ? all : all.filter((log) => log.address === address)
  }

  return {
    first,
    address: receipts.flatMap(({ logs }) => logs)[0]!.address,
    grow,
    answer(method, [place, isWhole]) {
      switch (method) {
        case 'eth_blockNumber':
          return JSON.stringify(headers.at(-1)!.number)
        case 'eth_getBlockByHash':
        case 'eth_getBlockByNumber': {
          const header = find(place)
          if (header === undefined) return 'null'
          const own = placeOf(header)
          const reported = transactions.map((transaction) =>
            isWhole === true ? { ...transaction, ...own } : transaction.hash,
          )
          return JSON.stringify({ ...header, transactions: reported })
        }
        case 'eth_getBlockReceipts': {
          const header = find(place)
          return header === undefined ? 'null' : JSON.stringify(receiptsOf(header))
        }
        case 'eth_getLogs':
          return JSON.stringify(logsOf(place as Readonly<Record<string, string>>))
        default:
          return undefined
      }
    },
  }
}

function hex(value: number): Hex {
  return `0x${value.toString(16)}`
}
