import type { AddOptions } from '../backend.ts'
import { IpfsError } from '../error.ts'
import { type Chunker, parseChunker } from './chunkers.ts'
import { mostIdentityBytes } from './identity.ts'
import type { TreeShape } from './profile.ts'
import { hashCodeOf } from './put-block.ts'

/** {@link AddOptions} after their check, in the form that the builders need. */
export interface BuildOptions extends TreeShape {
  readonly version: 0 | 1
  /** The multicodec of the hash. */
  readonly hash: number
  readonly chunker: Chunker
  readonly rawLeaves: boolean
  /** Most links of one block of a file. */
  readonly maxFileLinks: number
  readonly trickle: boolean
  /** The longest block that becomes an identity CID, in bytes; -1: none does. */
  readonly inlineLimit: number
}

const identity = 0x00
const sha2256 = 0x12

/** Checks the options of an upload. @throws IpfsError `bad_argument` */
export function buildOptions(options: AddOptions): BuildOptions {
  const { inline, inlineLimit, maxFileLinks, maxDirectoryLinks, maxHamtFanout, sizeEstimation } = options
  if (inline && !isWithin(inlineLimit, 0, mostIdentityBytes)) {
    throw new IpfsError('bad_argument', `expected inline-limit from 0 to ${mostIdentityBytes}, came ${inlineLimit}`)
  }
  if (!isWithin(maxFileLinks, 2, 8192)) {
    throw new IpfsError('bad_argument', `expected max-file-links from 2 to 8192, came ${maxFileLinks}`)
  }
  if (!isWithin(maxDirectoryLinks, 0, Number.MAX_SAFE_INTEGER)) {
    throw new IpfsError('bad_argument', `expected max-directory-links of at least 0, came ${maxDirectoryLinks}`)
  }
  if (!isWithin(maxHamtFanout, 8, 1024) || !Number.isInteger(Math.log2(maxHamtFanout))) {
    throw new IpfsError('bad_argument', `HAMT fanout must be a power of 2, between 8 and 1024 (got ${maxHamtFanout})`)
  }
  const hash = hashCodeOf(options.hash)
  return {
    // A CIDv0 cannot name another hash.
    version: hash === sha2256 ? options.cidVersion : 1,
    hash,
    chunker: parseChunker(options.chunker),
    rawLeaves: options.rawLeaves,
    trickle: options.trickle,
    inlineLimit: hash === identity ? mostIdentityBytes : inline ? inlineLimit : -1,
    maxFileLinks,
    maxDirectoryLinks,
    maxHamtFanout,
    sizeEstimation,
    emptyDirs: options.emptyDirs,
  }
}

function isWithin(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}
