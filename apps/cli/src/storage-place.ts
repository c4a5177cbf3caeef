import {
  arraySlot,
  erc1967Slot,
  erc7201Slot,
  type Hex,
  type MappingKey,
  mappingSlot,
  memberSlot,
  packedPlace,
  type Slot,
} from '@wayleave/evm-types'
import { UsageError } from './command.ts'
import { type Place, sizeOf } from './storage-type.ts'

const steps = 'key=VALUE, key:TYPE=VALUE, index=N, index=N:SLOTS or member=N'

/** Reads the slot of a declared variable: `3`, `0x03`, `erc7201:NAMESPACE`, `erc1967:implementation`. @throws UsageError */
export function readSlot(text: string): Slot {
  if (/^(?:\d{1,78}|0x[0-9a-f]{1,64})$/i.test(text)) return memberSlot(BigInt(text), 0)
  const [, standard, name = ''] = /^(erc7201|erc1967):(.+)$/.exec(text) ?? []
  if (standard === 'erc7201') return erc7201Slot(name)
  if (name === 'implementation' || name === 'beacon' || name === 'admin') return erc1967Slot(name)
  throw new UsageError(
    `SLOT: expected a number, erc7201:NAMESPACE or erc1967:implementation, :beacon, :admin; got "${text}"`,
  )
}

/** Follows one step from a slot into a mapping, an array or a struct. `packed` is the small type that a last array packs. */
export function follow(slot: Slot, step: string, keyType: string | undefined, packed: string | undefined): Place {
  const [, kind, detail, value] = /^(key|index|member)(?::([a-z]+\d*))?=([\s\S]*)$/.exec(step) ?? []
  if (kind === 'key') return { slot: mappingSlot(slot, readKey(value!, detail ?? keyType)), offset: 0 }
  const [, number, slots] = /^(\d{1,78})(?::(\d{1,78}))?$/.exec(value ?? '') ?? []
  if (kind === undefined || number === undefined || detail !== undefined || (kind === 'member' && slots !== undefined))
    throw new UsageError(`STEP: expected ${steps}; got "${step}"`)
  if (kind === 'member') return { slot: memberSlot(slot, BigInt(number)), offset: 0 }
  const size = packed === undefined ? 32 : sizeOf(packed)
  if (slots === undefined && size <= 16) return packedPlace(arraySlot(slot, 0), BigInt(number), size)
  return { slot: arraySlot(slot, BigInt(number), BigInt(slots ?? 1)), offset: 0 }
}

/** Reads a mapping's key as the given Solidity type, or as the type that its form suggests. @throws UsageError */
function readKey(text: string, type: string | undefined): MappingKey {
  const kind = type ?? guess(text)
  const hex = (digits: RegExp): Hex => {
    if (/^0x/i.test(text) && digits.test(text.slice(2))) return text as Hex
    throw new UsageError(`key: expected ${kind} in hex, got "${text}"`)
  }
  if (kind === 'address') return hex(/^[0-9a-f]{40}$/i)
  if (kind === 'string') return { string: text }
  if (kind === 'bytes') return { bytes: hex(/^(?:[0-9a-f]{2})*$/i) }
  if (kind === 'bool') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new UsageError(`key: expected true or false, got "${text}"`)
  }
  const size = /^bytes([1-9]|[12]\d|3[0-2])$/.exec(kind)?.[1]
  if (size !== undefined) return { fixedBytes: hex(new RegExp(`^[0-9a-f]{${Number(size) * 2}}$`, 'i')) }
  const unsigned = /^(u?)int\d*$/.exec(kind)?.[1]
  if (unsigned === undefined) {
    throw new UsageError(`--key-type: expected address, bool, string, bytes, bytesN, uintN or intN; got "${kind}"`)
  }
  const bits = sizeOf(kind, '--key-type') * 8
  const value = /^(?:-?\d{1,78}|0x[0-9a-f]{1,64})$/i.test(text) ? BigInt(text) : undefined
  const fits =
    value !== undefined && value === (unsigned === 'u' ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value))
  if (!fits) throw new UsageError(`key: expected a number of ${kind}, got "${text}"`)
  return value
}

function guess(text: string): string {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return 'address'
  if (/^0x[0-9a-f]{64}$/i.test(text)) return 'bytes32'
  if (/^-?\d+$/.test(text)) return text.startsWith('-') ? 'int256' : 'uint256'
  if (text === 'true' || text === 'false') return 'bool'
  if (!text.startsWith('0x')) return 'string'
  throw new UsageError(`key: "${text}" may be several types: write key:uint256=, key:bytes= or key:bytesN=`)
}
