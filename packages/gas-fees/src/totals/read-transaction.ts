import { GasFeesError } from '../error.ts'
import type { FeeOffer } from '../strategy.ts'
import type { FeeQuantity } from '../wallets/fill-fees.ts'
import type { RollupCall } from '../rollups/rollup-fees.ts'
import { rlpBytes, rlpItems, rlpList } from './rlp-list.ts'

/** A transaction before it is signed, as far as its fee depends on it. */
export interface TotalFeeCall {
  readonly from?: string | undefined
  /** Left out: the call creates a contract. */
  readonly to?: string | undefined
  /** `0x…` */
  readonly data?: string | undefined
  /** Wei. */
  readonly value?: FeeQuantity | undefined
  /** The gas limit. Left out: the node estimates it. */
  readonly gas?: FeeQuantity | undefined
  /** Left out: it counts as three bytes. */
  readonly nonce?: FeeQuantity | undefined
}

/** A transaction in the forms that nodes are asked with. */
export interface ReadTransaction {
  /** The call as `eth_estimateGas` takes it, without its gas limit. */
  readonly call: RollupCall
  readonly gas: bigint | undefined
  /** The fees of a signed transaction. */
  readonly offer: FeeOffer | undefined
  /** The chain that a signature is for; undefined for any. */
  readonly chainId: bigint | undefined
  /** Serializes it without a signature. */
  unsigned(chainId: bigint, offer: FeeOffer): string
}

/** The places of the fields that are read, by the type of a transaction. */
interface Places {
  readonly tip: number
  readonly max: number
  /** The gas limit; recipient, value and data follow. */
  readonly gas: number
  readonly count: number
}

const placesByType: Readonly<Record<string, Places>> = {
  '01': { tip: 2, max: 2, gas: 3, count: 11 },
  '02': { tip: 2, max: 3, gas: 4, count: 12 },
  '04': { tip: 2, max: 3, gas: 4, count: 13 },
}
const legacy: Places = { tip: 1, max: 1, gas: 2, count: 9 }
const legacyV = 6
const callMembers = new Set(['from', 'to', 'data', 'value', 'gas', 'nonce'])

/** Reads a call, or the bytes of a signed transaction. @throws GasFeesError `malformed` */
export function readTransaction(given: TotalFeeCall | string): ReadTransaction {
  return typeof given === 'string' ? readSigned(given) : readCall(given)
}

function readSigned(raw: string): ReadTransaction {
  const digits = hexOf(raw, 'the signed transaction')
  const type = digits < 'c0' ? digits.slice(0, 2) : undefined
  const places = type === undefined ? legacy : placesByType[type]
  if (places === undefined) {
    const why = type === '03' ? 'of blobs, whose price suggestBlobFee tells' : `of type 0x${type}`
    throw new GasFeesError('malformed', `expected a transaction of type 0, 1, 2 or 4, got one ${why}`)
  }
  const items = rlpItems(type === undefined ? digits : digits.slice(2))
  if (items.length !== places.count) {
    throw new GasFeesError('malformed', `expected ${places.count} fields of a signed transaction, got ${items.length}`)
  }
  const at = (place: number): string => items[place]!.value
  const number = (place: number): bigint => BigInt(`0x0${at(place)}`)
  const gas = within('gas', number(places.gas))
  const to = at(places.gas + 1)
  const unsigned = `0x${type ?? ''}${rlpList(items.slice(0, -3).map(({ encoded }) => encoded))}`
  return {
    call: {
      ...(to !== '' && { to: `0x${to}` }),
      data: `0x${at(places.gas + 3)}`,
      value: `0x${number(places.gas + 2).toString(16)}`,
    },
    gas,
    offer: { maxFeePerGas: number(places.max), maxPriorityFeePerGas: number(places.tip) },
    chainId: type === undefined ? chainIdOfV(number(legacyV)) : number(0),
    unsigned: () => unsigned,
  }
}

/** Reads the chain id of a signature (EIP-155); 27 and 28 name none. */
function chainIdOfV(v: bigint): bigint | undefined {
  return v < 35n ? undefined : (v - 35n) / 2n
}

function readCall(given: TotalFeeCall): ReadTransaction {
  const stray = Object.keys(given ?? {}).find((name) => !callMembers.has(name))
  if (typeof given !== 'object' || given === null || stray !== undefined) {
    const got = stray ?? String(given)
    throw new GasFeesError(
      'malformed',
      `expected from, to, data, value, gas and nonce of a call, got ${got.slice(0, 80)}`,
    )
  }
  const { from, to, data = '0x' } = given
  for (const [name, address] of Object.entries({ from, to })) {
    if (address !== undefined && !/^0x[\da-f]{40}$/i.test(address)) {
      throw new GasFeesError(
        'malformed',
        `expected 0x and 40 hex digits as ${name}, got ${String(address).slice(0, 80)}`,
      )
    }
  }
  const [input, value, gas] = [hexOf(data, 'data'), wholeOf(given, 'value'), wholeOf(given, 'gas')]
  const nonce = wholeOf(given, 'nonce') ?? threeBytes
  return {
    call: {
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
      data: `0x${input}`,
      ...(value !== undefined && { value: `0x${value.toString(16)}` }),
    },
    gas,
    offer: undefined,
    chainId: undefined,
    unsigned: (chainId, { maxFeePerGas, maxPriorityFeePerGas }) => {
      const numbers = [chainId, nonce, maxPriorityFeePerGas, maxFeePerGas, gas ?? threeBytes].map(digitsOf)
      const fields = [...numbers, to?.slice(2) ?? '', digitsOf(value ?? 0n), input].map(rlpBytes)
      return `0x02${rlpList([...fields, rlpList([])])}`
    },
  }
}

/** Stands for a number that is not known yet. */
const threeBytes = 0xfedcban

function digitsOf(value: bigint): string {
  const digits = value === 0n ? '' : value.toString(16)
  return digits.padStart(digits.length + (digits.length % 2), '0')
}

function hexOf(text: string, name: string): string {
  if (typeof text !== 'string' || !/^0x(?:[\da-f]{2})*$/i.test(text)) {
    throw new GasFeesError('malformed', `expected 0x and pairs of hex digits as ${name}`)
  }
  return text.slice(2).toLowerCase()
}

function wholeOf(call: TotalFeeCall, name: 'value' | 'gas' | 'nonce'): bigint | undefined {
  const given = call[name]
  if (given === undefined) return undefined
  if (!/^(?:\d{1,78}|0x[\da-f]{1,64})$/i.test(String(given))) {
    throw new GasFeesError('malformed', `expected a whole number as ${name}, got ${String(given).slice(0, 80)}`)
  }
  return within(name, BigInt(given))
}

/** The bits that a number may have. */
const bitsOf = { value: 256, gas: 64, nonce: 64 } as const

/** Refuses a number that no transaction can have. */
function within(name: keyof typeof bitsOf, value: bigint): bigint {
  const bits = bitsOf[name]
  if (value < 1n << BigInt(bits)) return value
  throw new GasFeesError('malformed', `expected at most 2^${bits} - 1 as ${name}, got ${String(value).slice(0, 80)}`)
}
