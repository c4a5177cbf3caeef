import { GasFeesError } from '../error.ts'
import { ethFromWei, weiFromGwei } from '../gwei.ts'
import { quantity } from '../quantity.ts'
import {
  arbitrumFeeFrom,
  arbitrumL1GasFrom,
  lineaFeeFrom,
  mantleTokenRatioFrom,
  opL1FeeFrom,
  opOperatorFeeFrom,
  type RollupCall,
  type RollupFee,
  zkSyncFeeFrom,
} from '../rollups/rollup-fees.ts'
import type { FeeLevel, FeeOffer } from '../strategy.ts'
import type { Incompleteness, SuggestedGasFees } from '../suggestion.ts'
import { offerOf } from '../wallets/fill-fees.ts'
import { type RequestFunction, suggestFeesFrom } from '../wallets/suggest-from.ts'
import { type ChainTraits, chainTraitsFrom, type RollupKind } from './chain-traits.ts'
import { type ReadTransaction, readTransaction, type TotalFeeCall } from './read-transaction.ts'

/** The cost of a transaction with the fees of a level, or with its own. In wei, but for `totalEth`. */
export interface LevelTotal extends FeeOffer {
  /** The gas limit at the price of the next block: its base fee and the tip. */
  readonly executionFee: bigint
  /** `executionFee`, and the fees for data and operator. */
  readonly total: bigint
  /** `total` in ETH, or the coin of the chain, in decimal. */
  readonly totalEth: string
  /** The most that it may cost, at the max fee: nodes ask for so much in the account, and for the value. */
  readonly atMost: bigint
}

/** Says what the suggestion lacks by which the levels are computed, where it lacks anything. */
interface LevelsLack {
  readonly wayleave?: Incompleteness | undefined
}

/** The cost of a transaction whose gas limit is used up; `signed` in the place of the levels for one that has its fees. */
export type TotalFee = {
  readonly gasLimit: bigint
  /** Undefined: the chain charges for no data. */
  readonly rollup: RollupKind | undefined
  /** The fee for data on L1, in wei. 0 on Linea and zkSync, where price and gas cover it. */
  readonly dataFee: bigint
  /** The fee of the operator of an OP chain for the gas limit, in wei. 0 elsewhere, and on most chains. */
  readonly operatorFee: bigint
} & ((Readonly<Record<FeeLevel, LevelTotal>> & LevelsLack) | { readonly signed: LevelTotal })

export interface TotalFeeOptions {
  /** Default: suggested from the same node. */
  readonly suggest?: (() => Promise<SuggestedGasFees>) | undefined
  /** Default: {@link chainTraitsFrom} the same node. */
  readonly chain?: (() => Promise<ChainTraits>) | undefined
}

/** The parts of the cost that do not depend on the level. */
interface Costs {
  readonly gasLimit: bigint
  readonly dataFee: bigint
  /** Default 0. */
  readonly operatorFee?: bigint
  /** The part of the gas limit that `dataFee` pays for. */
  readonly dataGas?: bigint
  /** The least that the node asks for. */
  readonly least?: FeeOffer
  /** Whether tips are charged. Default true. */
  readonly hasTips?: boolean
}

const levels: readonly FeeLevel[] = ['low', 'medium', 'high']

/**
 * Computes what a transaction costs on any EVM chain, with the fees of each level: gas limit, execution, data of the rollup, and their sum.
 * `transaction`: a call, or the bytes of a signed transaction (`0x…`), which has its own fees.
 * @throws GasFeesError `malformed`, also for a transaction with blobs, or signed for another chain; `unsupported` without EIP-1559; `invalid_response`; whatever `request` rejects with.
 */
export async function totalFeeFrom(
  request: RequestFunction,
  transaction: TotalFeeCall | string,
  options: TotalFeeOptions = {},
): Promise<TotalFee> {
  const read = readTransaction(transaction)
  const [fees, chain] = await Promise.all([
    options.suggest?.() ?? suggestFeesFrom(request),
    options.chain?.() ?? chainTraitsFrom(request),
  ])
  const { rollup } = chain
  if (read.chainId !== undefined && read.chainId !== chain.chainId) {
    const got = `one that is signed for the chain ${read.chainId}`
    throw new GasFeesError('malformed', `expected a transaction of the chain ${chain.chainId}, got ${got}`)
  }
  const unsigned = (): string => read.unsigned(chain.chainId, read.offer ?? offerOf(fees, 'high'))
  const costs = await costsOf[rollup ?? 'none'](request, read, unsigned, chain.chainId)
  const baseFee = weiFromGwei(fees.estimatedBaseFee)
  const totalOf = (offer: FeeOffer): LevelTotal => levelTotal(costs, baseFee, offer)
  const { gasLimit, dataFee, operatorFee = 0n } = costs
  const shared = { gasLimit, rollup, dataFee, operatorFee }
  if (read.offer !== undefined) return { ...shared, signed: totalOf(read.offer) }
  const [low, medium, high] = levels.map((level) => totalOf(atLeast(costs.least, offerOf(fees, level))))
  return { ...shared, low: low!, medium: medium!, high: high!, ...(fees.wayleave && { wayleave: fees.wayleave }) }
}

/** Asks a node for the costs on a kind of chain; `unsigned` serializes the transaction. */
type CostsFrom = (
  request: RequestFunction,
  read: ReadTransaction,
  unsigned: () => string,
  chainId: bigint,
) => Promise<Costs>

/** Mantle and its testnet, whose coin is not that of the fee for data. */
const mantles = new Set([5_000n, 5_003n])

const costsOf: Readonly<Record<RollupKind | 'none', CostsFrom>> = {
  none: async (request, read) => ({ gasLimit: await gasFrom(request, read), dataFee: 0n }),
  async op(request, read, unsigned, chainId) {
    const gas = gasFrom(request, read)
    const [gasLimit, l1Fee, ratio, operatorFee] = await Promise.all([
      gas,
      opL1FeeFrom(request, unsigned()),
      mantles.has(chainId) ? mantleTokenRatioFrom(request) : 1n,
      gas.then((limit) => opOperatorFeeFrom(request, limit)),
    ])
    return { gasLimit, dataFee: l1Fee * ratio, operatorFee }
  },
  async arbitrum(request, { call, gas }) {
    if (gas === undefined) {
      const { gas: gasLimit, gasPrice, l1Fee = 0n } = await arbitrumFeeFrom(request, call)
      return { gasLimit, dataFee: l1Fee, dataGas: gasPrice === 0n ? 0n : l1Fee / gasPrice, hasTips: false }
    }
    const { l1Gas, baseFee } = await arbitrumL1GasFrom(request, call)
    return { gasLimit: gas, dataFee: l1Gas * baseFee, dataGas: l1Gas, hasTips: false }
  },
  linea: async (request, read) => pricedByNode(read, lineaFeeFrom, request),
  zksync: async (request, read) => pricedByNode(read, zkSyncFeeFrom, request),
}

/** A signed transaction has both gas and price, so that no node is asked. */
async function pricedByNode(
  { call, gas, offer }: ReadTransaction,
  feeFrom: (request: RequestFunction, call: RollupCall) => Promise<RollupFee>,
  request: RequestFunction,
): Promise<Costs> {
  if (offer !== undefined) return { gasLimit: gas!, dataFee: 0n }
  const { gas: estimated, gasPrice, tip = 0n } = await feeFrom(request, call)
  return {
    gasLimit: gas ?? estimated,
    dataFee: 0n,
    least: { maxFeePerGas: gasPrice, maxPriorityFeePerGas: tip },
  }
}

async function gasFrom(request: RequestFunction, { call, gas }: ReadTransaction): Promise<bigint> {
  if (gas !== undefined) return gas
  const estimated = quantity(await request({ method: 'eth_estimateGas', params: [call] }))
  if (estimated === undefined) throw new GasFeesError('invalid_response', 'expected a quantity as the estimated gas')
  return estimated
}

/** Raises an offer to the least that the node asks for. */
function atLeast(least: FeeOffer | undefined, offer: FeeOffer): FeeOffer {
  if (least === undefined) return offer
  const tip = greater(offer.maxPriorityFeePerGas, least.maxPriorityFeePerGas)
  const room = offer.maxFeePerGas - offer.maxPriorityFeePerGas
  return { maxFeePerGas: greater(room + tip, least.maxFeePerGas), maxPriorityFeePerGas: tip }
}

function levelTotal(
  { gasLimit, dataFee, operatorFee = 0n, dataGas = 0n, hasTips = true }: Costs,
  baseFee: bigint,
  offer: FeeOffer,
): LevelTotal {
  const { maxFeePerGas, maxPriorityFeePerGas } = offer
  const asked = baseFee + (hasTips ? maxPriorityFeePerGas : 0n)
  const price = asked < maxFeePerGas ? asked : maxFeePerGas
  const executionGas = greater(gasLimit - dataGas, 0n)
  const executionFee = executionGas * price
  const total = executionFee + dataFee + operatorFee
  // The max fee holds for all gas, also for gas that pays for data.
  const atMost = dataGas > 0n ? gasLimit * maxFeePerGas : gasLimit * maxFeePerGas + dataFee + operatorFee
  return {
    maxFeePerGas,
    maxPriorityFeePerGas,
    executionFee,
    total,
    totalEth: ethFromWei(total),
    atMost: greater(atMost, total),
  }
}

function greater(a: bigint, b: bigint): bigint {
  return a > b ? a : b
}

/** Prints a total as JSON: amounts as decimal digits, in wei but for `totalEth`. */
export function printTotalFee(fee: TotalFee): string {
  return JSON.stringify(fee, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))
}
