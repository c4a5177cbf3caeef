/** Prints a share as percent: 0.123 is `12.3 %`; a share above 0 that is too small to show is `<0.1 %`. */
export function percent(share: number | undefined): string {
  if (share === undefined) return '-'
  if (share > 0 && share < 0.0005) return '<0.1 %'
  if (share < 1 && share >= 0.9995) return '>99.9 %'
  if (share >= 1e4) return `${(share * 100).toExponential(0)} %`
  return `${(share * 100).toFixed(share >= 10 ? 0 : 1)} %`
}

/** Prints three significant digits, without an exponent. */
export function digits(value: number | undefined): string {
  if (value === undefined) return '-'
  if (value === 0) return '0'
  const decimals = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(decimals, 9))
}

/** Prints wei per gas as gwei. */
export function gwei(wei: bigint): string {
  return digits(Number(wei) / 1e9)
}
