import { felt, refuse } from './numbers.ts'

const query = 1n << 128n

/** The version that enters the hash: `wanted`, or `wanted` with the bit of a query. */
export function versionNumber(version: string, wanted: bigint): bigint {
  const number = felt(version, 'version')
  return number === wanted || number === wanted + query ? number : refuse('version', `version 0x${wanted}`, version)
}

/** The version without the bit of a query. */
export function plainVersion(version: string): bigint {
  const number = felt(version, 'version')
  return number >= query ? number - query : number
}
