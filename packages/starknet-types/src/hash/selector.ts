import { keccak } from '@scure/starknet'
import { type Felt, printFelt } from '../felt.ts'
import { refuse } from './numbers.ts'

/** Keccak-256 of the UTF-8 bytes, the low 250 bits of it. */
export function starknetKeccak(text: string): bigint {
  return keccak(new TextEncoder().encode(text))
}

/** The selector of an entry point or an event by its name, a felt; `__default__` and `__l1_default__` of Cairo 0 have 0. @throws SchemaError for what is no text */
export function selector(name: string): Felt {
  if (typeof name !== 'string') refuse('name', 'a text', name)
  return printFelt(name === '__default__' || name === '__l1_default__' ? 0n : starknetKeccak(name))
}
