import { SchemaError } from '@wayleave/jsonrpc-core/schema'

/**
 * The whole number of smallest units in a decimal text, exactly: `parseUnits('1.5', 18)` is 1.5 ether in wei; 9 decimals
 * are gwei. Takes a leading minus; no exponent, plus sign, separator or space.
 * @throws SchemaError for another form, and for more digits after the point than `decimals`.
 */
export function parseUnits(text: string, decimals: number): bigint {
  checkDecimals(decimals)
  const match = typeof text === 'string' ? /^(-?)(\d{1,100})(?:\.(\d{1,100}))?$/.exec(text) : null
  const [, sign = '', whole = '', fraction = ''] = match ?? []
  if (match === null || fraction.length > decimals) {
    throw new SchemaError('amount', {
      path: '',
      expected: `a decimal number with at most ${decimals} digits after the point`,
      received: JSON.stringify(String(text).slice(0, 80)),
    })
  }
  const value = BigInt(whole + fraction.padEnd(decimals, '0'))
  return sign === '' ? value : -value
}

/** The exact decimal text of a number of smallest units, without trailing zeros: the inverse of {@link parseUnits}. */
export function formatUnits(value: bigint, decimals: number): string {
  checkDecimals(decimals)
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const point = digits.length - decimals
  const fraction = digits.slice(point).replace(/0+$/, '')
  return `${value < 0n ? '-' : ''}${digits.slice(0, point)}${fraction === '' ? '' : `.${fraction}`}`
}

function checkDecimals(decimals: number): void {
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= 100) return
  throw new SchemaError('decimals', { path: '', expected: 'an integer from 0 to 100', received: String(decimals) })
}
