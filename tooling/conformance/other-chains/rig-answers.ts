import { decodeFunctionData, encodeFunctionResult, multicall3Abi } from 'viem'
import {
  hex,
  type Hex,
  type Json,
  type LogFilter,
  logsIn,
  type Outcome,
  type RigBlock,
  type RigChain,
  type RigError,
  reportedBlock,
  word,
} from './rig-chain.ts'

/** Filters by their id: where they go on, and their question. */
export type RigFilters = Map<string, { at: number; readonly logs: LogFilter | undefined }>

interface View {
  readonly flashblocks: boolean
  /** The block that is being made, as the node knows it. */
  readonly pending: () => RigBlock
  readonly filters: RigFilters
  /** The blocks that the node has. */
  readonly blocks: () => readonly RigBlock[]
}

/** The first bytes of Multicall3's `aggregate3`. */
const aggregate3 = '0x82ad56cb'

class Refusal extends Error {
  readonly error: RigError
  constructor(error: RigError) {
    super(error.message)
    this.error = error
  }
}

/** Answers all questions but those for subscriptions. */
export function createAnswers(
  chain: RigChain,
  { flashblocks, pending, filters, blocks }: View,
): (method: string, params: readonly unknown[]) => Outcome {
  const head = (): RigBlock => blocks().at(-1)!
  /** The blocks whose transactions can be found: with flashblocks, those that the node has not sealed yet, too. */
  const known = (): readonly RigBlock[] =>
    flashblocks ? [...chain.blocks.filter(({ number }) => number < pending().number), pending()] : blocks()

  function orRefuse<T>(value: T | undefined, error: RigError | undefined): T | undefined {
    if (value === undefined && error !== undefined) throw new Refusal(error)
    return value
  }

  /** The block that a param names; `isState`: for its state, which a hole has from the block below. */
  function blockAt(place: unknown, isState = false): RigBlock | undefined {
    if (typeof place === 'object' && place !== null) {
      const { blockHash, blockNumber } = place as { readonly blockHash?: string; readonly blockNumber?: string }
      if (blockHash === undefined) return blockAt(blockNumber, isState)
      return orRefuse(
        known().find(({ hash }) => hash === blockHash),
        chain.errors.unknownHash(blockHash),
      )
    }
    if (place === undefined || place === 'latest') return head()
    if (place === 'pending') return flashblocks || chain.pushesTransactions ? pending() : head()
    const number = numberOf(place)
    if (number > head().number) return orRefuse(undefined, chain.errors.future())
    const below = blocks().findLast((block) => block.number <= number)
    if (below?.number === number || (isState && chain.errors.hole(number) !== undefined)) return below
    return orRefuse(undefined, chain.errors.hole(number))
  }

  function numberOf(place: unknown): number {
    const depth = { finalized: chain.finalDepth, safe: 4 }[place as string]
    if (depth !== undefined) return blocks().at(-1 - depth)?.number ?? 0
    if (place !== 'earliest') return Number(place)
    orRefuse(undefined, chain.errors.earliest())
    return blocks()[0]!.number
  }

  function logsFor(filter: LogFilter): unknown {
    const { blockHash, fromBlock = 'latest', toBlock = 'latest' } = filter
    if (blockHash !== undefined) {
      const block = blockAt({ blockHash })
      return block === undefined ? [] : logsIn(block, filter)
    }
    const [from, to] = [fromBlock, toBlock].map((place) => {
      if (place === 'earliest') return 0
      return place === 'latest' || place === 'pending' ? head().number : numberOf(place)
    }) as [number, number]
    if (to > head().number) orRefuse(undefined, chain.errors.futureLogs())
    return blocks()
      .filter(({ number }) => number >= from && number <= to)
      .flatMap((block) => logsIn(block, filter))
  }

  function call({ to, data, input = data }: Json, place: unknown): Hex | undefined {
    const block = blockAt(place, true)
    if (block === undefined) throw new Refusal({ code: -32000, message: 'header not found' })
    const bytes = (input ?? '0x') as Hex
    if (bytes.startsWith('0xdeadbeef')) {
      throw new Refusal({ code: 3, message: 'execution reverted: no', data: `0x08c379a0${word(32).slice(2)}` })
    }
    if (!bytes.startsWith(aggregate3)) return word(block.number)
    const { args } = decodeFunctionData({ abi: multicall3Abi, data: bytes })
    const returned = (args![0] as readonly unknown[]).map(() => ({ success: true, returnData: word(block.number) }))
    return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: returned, to } as never)
  }

  function found(hash: unknown): readonly [RigBlock, number] | undefined {
    for (const block of known().toReversed()) {
      const index = block.transactions.findIndex((each) => each.hash === hash)
      if (index >= 0) return [block, index]
    }
    return undefined
  }

  function feeHistory([count, newest, percentiles]: readonly unknown[]): unknown {
    const top = blockAt(newest, true)!
    const list = known()
      .filter(({ number }) => number <= top.number)
      .slice(-Number(count))
    return {
      oldestBlock: hex(list[0]!.number),
      baseFeePerGas: [...list, top].map(({ header }) => header['baseFeePerGas']),
      gasUsedRatio: list.map(({ header }) => Number(header['gasUsed']) / Number(header['gasLimit'])),
      ...(Array.isArray(percentiles) && { reward: list.map(() => percentiles.map((each) => hex(100_000 + each))) }),
    }
  }

  function resultOf(method: string, params: readonly unknown[]): unknown {
    const [first, second] = params
    switch (method) {
      case 'eth_chainId':
        return hex(chain.chainId)
      case 'net_version':
        return String(chain.chainId)
      case 'web3_clientVersion':
        return chain.client
      case 'eth_syncing':
        return false
      case 'eth_blockNumber':
        return hex(head().number)
      case 'eth_getBlockByNumber':
      case 'eth_getBlockByHash': {
        const block = blockAt(method === 'eth_getBlockByHash' ? { blockHash: first } : first)
        return block === undefined ? null : reportedBlock(block, second === true)
      }
      case 'eth_getBlockTransactionCountByNumber':
      case 'eth_getBlockTransactionCountByHash': {
        const block = blockAt(method.endsWith('Hash') ? { blockHash: first } : first)
        return block === undefined ? null : hex(block.transactions.length)
      }
      case 'eth_getBlockReceipts': {
        const isHash = typeof first === 'string' && first.length === 66
        return blockAt(isHash ? { blockHash: first } : first)?.receipts ?? null
      }
      case 'eth_getTransactionByBlockNumberAndIndex':
        return blockAt(first)?.transactions[Number(second)] ?? null
      case 'eth_getTransactionByBlockHashAndIndex':
        return blockAt({ blockHash: first })?.transactions[Number(second)] ?? null
      case 'eth_getTransactionByHash': {
        const [block, index] = found(first) ?? []
        return block?.transactions[index!] ?? null
      }
      case 'eth_getTransactionReceipt': {
        const [block, index] = found(first) ?? []
        return block?.receipts[index!] ?? null
      }
      case 'eth_getLogs':
        return logsFor(first as LogFilter)
      case 'eth_getBalance':
        return balanceAt(second)
      case 'eth_getTransactionCount':
        return hex(blockAt(second, true)!.number * 10)
      case 'eth_getCode':
        return '0x6001600101'
      case 'eth_getStorageAt':
        return word(blockAt(params[2], true)!.number)
      case 'eth_call':
        return call(first as Json, second)
      case 'eth_estimateGas':
        call(first as Json, second)
        return '0x3d0900'
      case 'eth_gasPrice':
        return '0x1e8480'
      case 'eth_maxPriorityFeePerGas':
        return '0x186a0'
      case 'eth_feeHistory':
        return feeHistory(params)
      case 'eth_newBlockFilter':
      case 'eth_newFilter': {
        const id = hex(0x2000 + filters.size)
        filters.set(id, { at: blocks().length, logs: method === 'eth_newFilter' ? (first as LogFilter) : undefined })
        return id
      }
      case 'eth_getFilterChanges': {
        const filter = filters.get(first as string) ?? orRefuse(undefined, chain.errors.unknownFilter())!
        const fresh = blocks().slice(filter.at)
        filter.at = blocks().length
        const { logs } = filter
        return logs === undefined ? fresh.map(({ hash }) => hash) : fresh.flatMap((block) => logsIn(block, logs))
      }
      case 'eth_uninstallFilter':
        return filters.delete(first as string)
      case 'op_supportedCapabilities':
        return flashblocks ? ['flashblocksv1'] : orRefuse(undefined, chain.errors.unknownMethod(method))
      default:
        throw new Refusal(chain.errors.unknownMethod(method))
    }
  }

  /** Grows with each part of the block in making. */
  function balanceAt(place: unknown): Hex {
    const block = blockAt(place, true)
    if (block === undefined) throw new Refusal({ code: -32000, message: 'header not found' })
    return hex(block.number * 1_000 + block.transactions.length)
  }

  return (method, params) => {
    try {
      return chain.own?.(method, params) ?? { result: resultOf(method, params) }
    } catch (thrown) {
      if (thrown instanceof Refusal) return { error: thrown.error }
      throw thrown
    }
  }
}
