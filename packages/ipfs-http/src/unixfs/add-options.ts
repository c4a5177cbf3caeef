import type { AddOptions } from '../backend.ts'
import { IpfsError } from '../error.ts'
import { type Chunker, parseChunker } from './chunkers.ts'
import { mostIdentityBytes } from './identity.ts'
import { hashCodeOf } from './put-block.ts'

/** {@link AddOptions} after their check, in the form that the builders need. */
export interface BuildOptions {
  readonly version: 0 | 1
  /** The multicodec of the hash. */
  readonly hash: number
  readonly chunker: Chunker
  readonly rawLeaves: boolean
  readonly trickle: boolean
  /** The longest block that becomes an identity CID, in bytes; -1: none does. */
  readonly inlineLimit: number
  /** The size above which a directory is sharded, in bytes of names and CIDs. */
  readonly shardThreshold: number
}

const identity = 0x00
const sha2256 = 0x12
const kuboShardThreshold = 262_144

/** Checks the options of an upload. @throws IpfsError `bad_argument` */
export function buildOptions(options: AddOptions): BuildOptions {
  const { inline, inlineLimit, shardThreshold = kuboShardThreshold } = options
  if (inline && !(Number.isInteger(inlineLimit) && inlineLimit >= 0 && inlineLimit <= mostIdentityBytes)) {
    throw new IpfsError('bad_argument', `expected inline-limit from 0 to ${mostIdentityBytes}, came ${inlineLimit}`)
  }
  if (!(Number.isInteger(shardThreshold) && shardThreshold > 0 && shardThreshold <= 2 * kuboShardThreshold)) {
    throw new IpfsError(
      'bad_argument',
      `expected a shard threshold up to ${2 * kuboShardThreshold} bytes, came ${shardThreshold}`,
    )
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
    shardThreshold,
  }
}
