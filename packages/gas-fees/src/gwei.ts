import { GasFeesError } from './error.ts'
import type { Gwei } from './suggestion.ts'

/** Converts wei to decimal gwei, exactly: `1500000000n` is `1.5`. For amounts that are not negative. */
export function gweiFromWei(wei: bigint): Gwei {
  return decimal(wei, 9)
}

/** Converts wei to decimal ETH, exactly. */
export function ethFromWei(wei: bigint): string {
  return decimal(wei, 18)
}

function decimal(wei: bigint, places: number): string {
  const digits = wei.toString().padStart(places + 1, '0')
  return `${digits.slice(0, -places)}.${digits.slice(-places)}`.replace(/\.?0+$/, '')
}

/**
 * Converts decimal gwei to wei. Digits beyond the ninth after the point are rounded, a half upwards.
 * @throws GasFeesError `malformed` for an exponent, a sign, a separator, or no digit.
 */
export function weiFromGwei(gwei: Gwei): bigint {
  const [, whole, fraction = ''] = /^(\d{0,100})(?:\.(\d{1,100}))?$/.exec(gwei) ?? []
  if (whole === undefined || whole + fraction === '') {
    throw new GasFeesError('malformed', `expected decimal gwei such as "1.5", got ${JSON.stringify(gwei).slice(0, 80)}`)
  }
  const digits = fraction.padEnd(10, '0')
  return BigInt(whole + digits.slice(0, 9)) + (digits.charAt(9) >= '5' ? 1n : 0n)
}
