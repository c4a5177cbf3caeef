// Scalars with their places, to tell what an adaptation lost.
import type { StarknetVersion as V } from '../../src/index.ts'
import { since } from './things.ts'

/** A scalar of a value. */
export interface Leaf {
  /** The members that lead to it, without those of marks: `0.fee_estimation.unit`. */
  readonly path: string
  /** Numbers and hex by what they count. */
  readonly value: string
}

/** Every scalar of a value. */
export function leavesOf(value: unknown, path: readonly string[] = []): Leaf[] {
  if (typeof value === 'object' && value !== null) {
    return Object.entries(value).flatMap(([name, each]) => leavesOf(each, name === 'wayleave' ? path : [...path, name]))
  }
  const text = String(value)
  const counted = /^(?:0x[0-9a-f]+|\d+)$/.test(text) ? String(BigInt(text)) : text
  return [{ path: path.join('.'), value: counted }]
}

/** The same value at the same place, in words that two versions have in common. */
export function keysOf(leaves: readonly Leaf[], renamed: (path: string) => string = (path) => path): string[] {
  return leaves.map(({ path, value }) => `${renamed(path)} = ${value}`).toSorted()
}

/** Lists the leaves that an answer holds and an adapted one does not, though the caller's version has a place for them. */
export function lostBetween(caller: V, endpoint: V, before: unknown, after: unknown): readonly string[] {
  const said = new Set(keysOf(leavesOf(after)))
  const whole = leavesOf(before)
  const usesL2 = new Set(
    whole
      .filter(({ path, value }) => path.endsWith('l2_gas_consumed') && value !== '0')
      .map(({ path }) => parent(path)),
  )
  return whole
    .filter(({ path, value }) => {
      const place = placeIn(caller, endpoint, path, usesL2.has(parent(path)))
      if (place !== undefined && said.has(`${place} = ${value}`)) return false
      return place !== undefined && !hasNoPlace(caller, endpoint, path, value)
    })
    .map(({ path, value }) => `${path} = ${value}`)
}

const parent = (path: string): string => path.slice(0, path.lastIndexOf('.') + 1)

/** Whether only some things of the caller's version have a place for what stands at a path. */
function hasNoPlace(caller: V, endpoint: V, path: string, value: string): boolean {
  if (cameLater.some(([first, names]) => !since(caller, first) && since(endpoint, first) && names.test(path)))
    return true
  if (path.includes('execution_resources.'))
    return !since(caller, '0.8') && (since(endpoint, '0.8') || (caller === '0.5.1' && beyondOldest.test(path)))
  if (value === 'PENDING') return since(caller, '0.9') && !since(endpoint, '0.9')
  const isOpen = /^(?:PRE_CONFIRMED|CANDIDATE)$/.test(value) || path.endsWith('block_number')
  return isOpen && !since(caller, '0.9') && since(endpoint, '0.9')
}

/** Members that came with a version. */
const cameLater: readonly (readonly [first: V, paths: RegExp])[] = [
  ['0.6', /invocation\..*execution_resources\./],
  ['0.7', /(?:^|\.)(?:l1_data_gas_price\.price_in_\w+|l1_da_mode|failure_reason|data_availability\.\w+)$/],
  ['0.7', /^(?:.*(?:trace_root|transaction_trace)\.)?execution_resources\./],
  ['0.8', /(?:^|\.)(?:l2_gas_price\.price_in_\w+|is_reverted|resource_bounds\.l1_data_gas\.\w+)$/],
  ['0.10', /(?:^|\.)(?:\w+_commitment|event_count|transaction_count|state_diff_length|transaction_index|event_index)$/],
  ['0.10', /(?:^|\.)(?:migrated_compiled_classes|proof_facts)\./],
]

/** Counts that receipts of 0.7 have and those of 0.5.1 do not. */
const beyondOldest = /\.(?:segment_arena_builtin|data_availability\.l1_(?:data_)?gas)$/

/** Finds the caller's place for the leaf at a path of the node's version; undefined where there is none. */
function placeIn(caller: V, endpoint: V, path: string, usesL2: boolean): string | undefined {
  const [, before, name] = /^(.*?)([^.]*)$/.exec(path)! as unknown as [string, string, string]
  const at = (renamed: string): string => `${before}${renamed}`
  if (caller === '0.5.1' && name === 'price_in_fri' && before.endsWith('l1_gas_price.')) return at('price_in_strk')
  if (endpoint === '0.5.1' && name === 'price_in_strk') return at('price_in_fri')
  if (caller === '0.5.1' && path.endsWith('actual_fee.amount')) return path.slice(0, -'.amount'.length)
  if (endpoint === '0.5.1' && name === 'actual_fee') return `${path}.amount`
  if (caller === '0.5.1' && name === 'unit') return undefined
  const isGas = /(?:^|_)gas_(?:consumed|price)$/.test(name)
  if (isGas && !since(caller, '0.8') && since(endpoint, '0.8')) {
    if (name.startsWith('l1_data_')) return caller === '0.7' ? at(name.slice(3)) : undefined
    return name.startsWith(usesL2 ? 'l2_' : 'l1_') ? at(name.slice(3)) : undefined
  }
  if (isGas && since(caller, '0.8') && !since(endpoint, '0.8')) return at(`l1_${name}`)
  if (isGas && !since(caller, '0.7') && name.startsWith('data_')) return undefined
  if (caller === '0.7' && since(endpoint, '0.8') && path.endsWith('execution_resources.l1_data_gas'))
    return at('data_availability.l1_data_gas')
  return path
}
