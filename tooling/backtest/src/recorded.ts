import { readFile } from 'node:fs/promises'
import { parseUnits } from '@wayleave/evm-types'
import type { FeeBlock, FeeLevel, FeeOffer } from '@wayleave/gas-fees'
import type { Market, NodeKind } from './market.ts'

/** A recorded market, and others' answers right after its newest block. */
export interface RecordedMarket extends Market {
  /** A node's answer to `eth_maxPriorityFeePerGas` on that chain, in wei per gas. */
  readonly nodeTip: bigint
  /** Infura's `suggestedGasFees`. */
  readonly infura: Readonly<Record<FeeLevel, FeeOffer>>
}

/** A file of `histories/`: see its README. */
interface HistoryFile {
  readonly percentiles: readonly number[]
  readonly snapshot: {
    readonly nextBaseFeePerGas: string
    readonly ethMaxPriorityFeePerGas: string
    readonly infuraSuggestedGasFees: Readonly<Record<FeeLevel, InfuraLevel>>
  }
  readonly blocks: readonly (readonly [
    number: number,
    timestamp: number | null,
    baseFeePerGas: string,
    gasUsedRatio: number,
    gasUsed: number | null,
    gasLimit: number | null,
    rewards: string,
  ])[]
}

interface InfuraLevel {
  readonly suggestedMaxPriorityFeePerGas: string
  readonly suggestedMaxFeePerGas: string
}

const folder = new URL('../histories/', import.meta.url)
const recordings: readonly { name: string; chainId: number; file: string; node: NodeKind; blockTimeMs: number }[] = [
  { name: 'Ethereum', chainId: 1, file: 'ethereum-23597734-23598757.json', node: 'geth', blockTimeMs: 12_000 },
  { name: 'Base', chainId: 8453, file: 'base-36964626-36965649.json', node: 'op-geth', blockTimeMs: 2_000 },
  { name: 'Polygon', chainId: 137, file: 'polygon-77806951-77807974.json', node: 'geth', blockTimeMs: 2_000 },
]

/** The recorded histories. */
export async function readRecorded(): Promise<readonly RecordedMarket[]> {
  return Promise.all(
    recordings.map(async ({ name, chainId, file, node, blockTimeMs }) => {
      const history = JSON.parse(await readFile(new URL(file, folder), 'utf8')) as HistoryFile
      const { nextBaseFeePerGas, ethMaxPriorityFeePerGas, infuraSuggestedGasFees: infura } = history.snapshot
      return {
        name,
        chainId,
        kind: 'recorded',
        node,
        blockTimeMs,
        percentiles: history.percentiles,
        blocks: history.blocks.map(toBlock),
        nextBaseFeePerGas: BigInt(nextBaseFeePerGas),
        marginalTips: undefined,
        nodeTip: BigInt(ethMaxPriorityFeePerGas),
        infura: { low: toOffer(infura.low), medium: toOffer(infura.medium), high: toOffer(infura.high) },
      }
    }),
  )
}

function toBlock([number, , baseFeePerGas, gasUsedRatio, , , rewards]: HistoryFile['blocks'][number]): FeeBlock {
  return {
    number,
    baseFeePerGas: BigInt(baseFeePerGas),
    gasUsedRatio,
    rewards: rewards.split(' ').map(BigInt),
  }
}

function toOffer(level: InfuraLevel): FeeOffer {
  return {
    maxPriorityFeePerGas: parseUnits(level.suggestedMaxPriorityFeePerGas, 9),
    maxFeePerGas: parseUnits(level.suggestedMaxFeePerGas, 9),
  }
}
