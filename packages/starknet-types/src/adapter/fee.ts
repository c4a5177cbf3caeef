import type { FeeEstimate } from '../fee-estimate.ts'
import { isBefore, type StarknetVersion } from '../versions.ts'
import { type Adapter, filled, lacking, type Members, needInteger, without } from './members.ts'
import type { Pair } from './untranslatable.ts'

const resources = [
  'l1_gas_consumed',
  'l1_gas_price',
  'l2_gas_consumed',
  'l2_gas_price',
  'l1_data_gas_consumed',
  'l1_data_gas_price',
  'unit',
] as const

/** The members of an estimate in each version, beside `overall_fee`. */
const names: { readonly [V in StarknetVersion]: readonly Exclude<keyof FeeEstimate<V>, 'overall_fee'>[] } = {
  '0.5.1': ['gas_consumed', 'gas_price'],
  '0.6': ['gas_consumed', 'gas_price', 'unit'],
  '0.7': ['gas_consumed', 'gas_price', 'data_gas_consumed', 'data_gas_price', 'unit'],
  '0.8': resources,
  '0.9': resources,
  '0.10': resources,
}

/** Adapts a fee estimate. `overall_fee` never changes, and no value is converted. */
export function adaptFee(pair: Pair): Adapter {
  const { caller, endpoint } = pair
  const from: readonly string[] = names[endpoint]
  const to: readonly string[] = names[caller]
  if (from.length === to.length) return undefined
  return isBefore(caller, endpoint)
    ? (estimate) => older(pair, estimate, from, to)
    : (estimate) => newer(pair, estimate, from, to)
}

/** An estimate for an older caller, without the members that have no place there. */
function older(pair: Pair, estimate: Members, from: readonly string[], to: readonly string[]): Members {
  for (const name of ['overall_fee', ...from]) if (estimate[name] === undefined) throw lacking(pair, name)
  const used = from.includes('l2_gas_consumed') ? usedGas(pair, estimate) : undefined
  const renamed = used === undefined ? {} : renames(used)
  const placed: Record<string, unknown> = {}
  for (const name of from) {
    const place = renamed[name] ?? name
    if (to.includes(place)) placed[place] = estimate[name]
  }
  const rest = without(estimate, from)
  // Up to 0.7 the gas of an estimate is that of Ethereum.
  const unknown = used === 'l2' ? ['gas_consumed', 'gas_price'] : []
  return filled({ ...rest, ...placed }, pair, unknown)
}

/** The one gas of an old estimate: L2 gas where any was used, else L1 gas. */
function usedGas(pair: Pair, estimate: Members): 'l1' | 'l2' {
  return needInteger(pair, 'l2_gas_consumed', estimate['l2_gas_consumed']) > 0n ? 'l2' : 'l1'
}

function renames(used: 'l1' | 'l2'): Readonly<Record<string, string>> {
  return {
    [`${used}_gas_consumed`]: 'gas_consumed',
    [`${used}_gas_price`]: 'gas_price',
    l1_data_gas_consumed: 'data_gas_consumed',
    l1_data_gas_price: 'data_gas_price',
  }
}

/**
 * An estimate for a newer caller. The gas of an old estimate is L1 gas. Where its resources add up to the overall fee, the
 * other resources are none; where they do not, nobody knows what the rest was. @throws UntranslatableError
 */
function newer(pair: Pair, estimate: Members, from: readonly string[], to: readonly string[]): Members {
  const read = (name: string): bigint => needInteger(pair, name, estimate[name])
  const hasData = from.includes('data_gas_price')
  const rest = without(estimate, from)
  // A node of 0.5.1 is sent no transaction of version 3, which would pay in fri; messages from L1 pay in wei always.
  const unit = estimate['unit'] ?? (from.includes('unit') ? undefined : 'WEI')
  if (unit === undefined) throw lacking(pair, 'unit')
  const { gas_consumed, gas_price, data_gas_consumed = '0x0', data_gas_price = '0x0' } = estimate
  if (!to.includes('data_gas_price') && !to.includes('l2_gas_price')) return { ...rest, gas_consumed, gas_price, unit }
  const data = hasData ? read('data_gas_consumed') * read('data_gas_price') : 0n
  if (read('overall_fee') !== read('gas_consumed') * read('gas_price') + data)
    throw lacking(pair, hasData ? 'l2_gas_consumed (the fee is more than its resources)' : 'consumption of data gas')
  if (to.includes('data_gas_price')) {
    const adapted = { ...rest, gas_consumed, gas_price, data_gas_consumed, data_gas_price, unit }
    return filled(adapted, pair, ['data_gas_price'])
  }
  const placed = {
    l1_gas_consumed: gas_consumed,
    l1_gas_price: gas_price,
    l2_gas_consumed: '0x0',
    l2_gas_price: '0x0',
    l1_data_gas_consumed: data_gas_consumed,
    l1_data_gas_price: data_gas_price,
    unit,
  }
  const unknown = hasData ? ['l2_gas_price'] : ['l2_gas_price', 'l1_data_gas_price']
  return filled({ ...rest, ...placed }, pair, unknown)
}
