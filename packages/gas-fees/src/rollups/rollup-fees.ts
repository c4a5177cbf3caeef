import { GasFeesError } from '../error.ts'
import { quantity } from '../quantity.ts'
import type { RequestFunction } from '../wallets/suggest-from.ts'

/** A call as `eth_call` takes it. */
export interface RollupCall {
  readonly from?: string | undefined
  /** Left out: the call creates a contract. */
  readonly to?: string | undefined
  /** `0x…` */
  readonly data?: string | undefined
  /** `0x…` */
  readonly value?: string | undefined
}

/** The fee of a call on a rollup, by its node. Amounts in wei. */
export interface RollupFee {
  readonly gas: bigint
  /** The price of each gas: the base fee with its tip, or the max fee that the node asks for. */
  readonly gasPrice: bigint
  /** The part of `total` that pays for data on L1, where the node tells it apart. */
  readonly l1Fee?: bigint
  /** The part of `gasPrice` that is a tip, where the node tells it apart. */
  readonly tip?: bigint
  /** The cost of the call with that gas at that price. */
  readonly total: bigint
}

const oracle = '0x420000000000000000000000000000000000000f'
const nodeInterface = '0x00000000000000000000000000000000000000c8'
const l1Block = '0x4200000000000000000000000000000000000015'
/** The place of the operator fee's parameters in the storage of `l1Block`: from the right, 8 bytes of the constant and 4 of the scalar. */
const operatorFeeSlot = '0x8'
/** `getOperatorFee(uint256)` */
const getOperatorFee = '0x275aedd2'
/** `tokenRatio()` */
const tokenRatio = '0x06f837d3'
/** `getL1Fee(bytes)` */
const getL1Fee = '0x49948e0e'
/** `gasEstimateComponents(address,bool,bytes)` */
const gasEstimateComponents = '0xc94e6eeb'
/** `gasEstimateL1Component(address,bool,bytes)` */
const gasEstimateL1Component = '0x77d488a2'

/**
 * Asks a chain of the OP stack what an unsigned transaction (serialized, `0x…`) pays for its data, in wei; its oracle adds a signature.
 * @throws GasFeesError `invalid_response`, also where there is no such oracle; whatever `request` rejects with.
 */
export async function opL1FeeFrom(request: RequestFunction, transaction: string): Promise<bigint> {
  const data = `${getL1Fee}${word(32n)}${dynamicBytes(transaction)}`
  const [fee] = await wordsOf(request, { to: oracle, data }, 1)
  return fee!
}

/**
 * Asks Mantle how many MNT an ETH is worth: its oracle tells fees for data in ETH, and they are paid in MNT.
 * Source: MetaMask, `MantleLayer1GasFeeFlow`.
 * @throws GasFeesError `invalid_response`; whatever `request` rejects with.
 */
export async function mantleTokenRatioFrom(request: RequestFunction): Promise<bigint> {
  const [ratio] = await wordsOf(request, { to: oracle, data: tokenRatio }, 1)
  return ratio!
}

/**
 * Asks a chain of the OP stack what a transaction pays its operator for so much gas, in wei: by its oracle, if it takes such a fee. Chains before
 * Isthmus take none, and their oracles do not know the question.
 * @throws GasFeesError `invalid_response`; whatever `request` rejects with.
 */
export async function opOperatorFeeFrom(request: RequestFunction, gas: bigint): Promise<bigint> {
  const stored = await request({ method: 'eth_getStorageAt', params: [l1Block, operatorFeeSlot, 'latest'] })
  if (typeof stored !== 'string' || !/^0x[\da-f]*$/i.test(stored)) {
    throw new GasFeesError('invalid_response', 'expected a word of storage')
  }
  if (/^0*$/.test(stored.slice(2).slice(-24))) return 0n
  const [fee] = await wordsOf(request, { to: oracle, data: `${getOperatorFee}${word(gas)}` }, 1)
  return fee!
}

/**
 * Asks an Arbitrum chain for a call's gas and its part for L1. Its gas price is the base fee: tips are not charged.
 * @throws GasFeesError `invalid_response`; whatever `request` rejects with.
 */
export async function arbitrumFeeFrom(request: RequestFunction, call: RollupCall): Promise<RollupFee> {
  const [gas, l1Gas, baseFee] = await nodeInterfaceWords(request, call, gasEstimateComponents, 4)
  return { gas: gas!, gasPrice: baseFee!, l1Fee: l1Gas! * baseFee!, total: gas! * baseFee! }
}

/**
 * Asks an Arbitrum chain how much gas a call's data takes, without executing it, and for the base fee.
 * @throws GasFeesError `invalid_response`; whatever `request` rejects with.
 */
export async function arbitrumL1GasFrom(
  request: RequestFunction,
  call: RollupCall,
): Promise<{ readonly l1Gas: bigint; readonly baseFee: bigint }> {
  const [l1Gas, baseFee] = await nodeInterfaceWords(request, call, gasEstimateL1Component, 3)
  return { l1Gas: l1Gas!, baseFee: baseFee! }
}

function nodeInterfaceWords(
  request: RequestFunction,
  call: RollupCall,
  selector: string,
  count: number,
): Promise<readonly bigint[]> {
  const { to = `0x${'0'.repeat(40)}`, data = '0x', from, value } = call
  const params = `${word(BigInt(to))}${word(call.to === undefined ? 1n : 0n)}${word(96n)}${dynamicBytes(data)}`
  return wordsOf(request, { from, value, to: nodeInterface, data: `${selector}${params}` }, count)
}

/**
 * Asks a Linea chain for a call's gas and its price by `linea_estimateGas`, whose priority fee pays for data.
 * @throws GasFeesError `invalid_response`; whatever `request` rejects with.
 */
export async function lineaFeeFrom(request: RequestFunction, call: RollupCall): Promise<RollupFee> {
  const answer = await request({ method: 'linea_estimateGas', params: [call] })
  const [gas, base, tip] = members(answer, ['gasLimit', 'baseFeePerGas', 'priorityFeePerGas'])
  const gasPrice = base! + tip!
  return { gas: gas!, gasPrice, tip: tip!, total: gas! * gasPrice }
}

/**
 * Asks a zkSync chain for a call's gas limit and max fee by `zks_estimateFee`, which cover what it publishes.
 * @throws GasFeesError `invalid_response`; whatever `request` rejects with.
 */
export async function zkSyncFeeFrom(request: RequestFunction, call: RollupCall): Promise<RollupFee> {
  const answer = await request({ method: 'zks_estimateFee', params: [call] })
  const [gas, gasPrice] = members(answer, ['gas_limit', 'max_fee_per_gas'])
  return { gas: gas!, gasPrice: gasPrice!, total: gas! * gasPrice! }
}

function members(answer: unknown, names: readonly string[]): readonly bigint[] {
  const found = (answer ?? {}) as Readonly<Record<string, unknown>>
  return names.map((name) => {
    const value = quantity(found[name])
    if (value === undefined) throw new GasFeesError('invalid_response', `expected a quantity as ${name}`)
    return value
  })
}

async function wordsOf(request: RequestFunction, call: RollupCall, count: number): Promise<readonly bigint[]> {
  const given = Object.fromEntries(Object.entries(call).filter(([, value]) => value !== undefined))
  const answer = await request({ method: 'eth_call', params: [given, 'latest'] })
  if (typeof answer !== 'string' || !/^0x[\da-f]*$/i.test(answer) || answer.length < 2 + 64 * count) {
    throw new GasFeesError('invalid_response', `expected ${count} words from ${call.to}: is this chain of that kind?`)
  }
  return Array.from({ length: count }, (_, i) => BigInt(`0x${answer.slice(2 + 64 * i, 66 + 64 * i)}`))
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

/** Encodes bytes: their length, and they, filled up to whole words. */
function dynamicBytes(hex: string): string {
  const digits = hex.slice(2)
  return word(BigInt(digits.length / 2)) + digits.padEnd(Math.ceil(digits.length / 64) * 64, '0')
}
