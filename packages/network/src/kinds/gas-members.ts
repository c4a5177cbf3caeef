import { cutParts } from '@wayleave/jsonrpc-core'
import { elementSpan, type Span } from './rewrite-params.ts'

/** A member of a call object that some node reads as its gas. */
export interface GasMember extends Span {
  readonly gas: bigint
}

/** Longer than any gas that a node could mean. */
const boundless = 2n ** 256n

/**
 * Finds every member of the first param, a call object, that a node may read as `gas`, whichever of several it takes: nodes in Go match
 * names without case, those in Rust take `gasLimit` too. Undefined where one is no number.
 */
export function gasMembers(call: unknown, text: string): readonly GasMember[] | undefined {
  if (typeof call !== 'object' || call === null || !Object.keys(call).some(namesGas)) return none
  const found: GasMember[] = []
  let isNumeric = true
  cutParts(text, elementSpan(text, 0).start, (start, end, key) => {
    if (!namesGas(key)) return
    const gas = gasOf(JSON.parse(text.slice(start, end)), text.slice(start, end))
    if (gas === undefined) isNumeric = false
    else if (gas !== null) found.push({ start, end, gas })
  })
  return isNumeric ? found : undefined
}

const none: readonly GasMember[] = []

/** Folds to upper case as Go does, which makes an S of the long `ſ`. */
function namesGas(key: string): boolean {
  if (key.length === 3) return key.toUpperCase() === 'GAS'
  return key.length === 8 && key.toUpperCase() === 'GASLIMIT'
}

/** Reads a gas value; null: none was given; undefined: no number in hex or decimal digits. */
function gasOf(value: unknown, token: string): bigint | null | undefined {
  if (value === null) return null
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const text = typeof value === 'string' ? value : token
  const isHex = /^0x[\da-f]*$/i.test(text)
  if (!isHex && !/^\d+$/.test(text)) return undefined
  const digits = text.slice(isHex ? 2 : 0).replace(/^0+/, '')
  if (digits.length > 64) return boundless
  return BigInt(isHex ? `0x${digits || '0'}` : digits)
}
