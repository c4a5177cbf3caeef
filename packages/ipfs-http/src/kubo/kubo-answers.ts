import { CID } from 'multiformats/cid'
import { IpfsError } from '../error.ts'

/** Reads a CID. @throws IpfsError `invalid_response` */
export function cidOf(text: unknown): CID {
  try {
    return CID.parse(String(text))
  } catch (cause) {
    throw new IpfsError('invalid_response', 'expected a CID in the answer of the IPFS node', { cause })
  }
}

/** Reads the CID of `{ "/": "Qm…" }`. @throws IpfsError `invalid_response` */
export function linkOf(value: unknown): CID {
  return cidOf(isObject(value) ? value['/'] : undefined)
}

/** Reads a number of bytes or blocks. @throws IpfsError `invalid_response` */
export function sizeOf(value: unknown): bigint {
  if (/^\d{1,20}$/.test(String(value))) return BigInt(String(value))
  throw new IpfsError('invalid_response', 'expected a number of bytes in the answer of the IPFS node')
}

/** True for a value of JSON that has members. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
