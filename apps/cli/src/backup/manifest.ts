import { createHash, type Hash } from 'node:crypto'

/** The last file of an archive: what is in it. An archive without one is torn. */
export interface Manifest {
  readonly format: 'wayleave-backup'
  readonly version: 1
  /** The version of wayleave that made it. */
  readonly wayleave: string
  /** When its database was copied, in ISO 8601. */
  readonly at: string
  /** The migrations that its database had. */
  readonly migrations: readonly string[]
  /** All files but blocks, with their SHA-256 in hex. */
  readonly files: readonly { readonly path: string; readonly bytes: number; readonly sha256: string }[]
  /** The blocks of IPFS content, if they are in it. */
  readonly blocks?: BlocksSum
}

export interface BlocksSum {
  readonly count: number
  readonly bytes: number
  /** SHA-256 of the lines `path sha256` of all blocks, in the order of the archive: a list of millions would not fit in memory. */
  readonly sha256: string
}

export const manifestName = 'manifest.json'
/** Longest manifest, in bytes. */
export const longestManifest = 1_048_576

/** Names of files that may stand in an archive. Anything else could lead out of its folder. */
export const fileNames: ReadonlySet<string> = new Set([
  'wayleave.sqlite',
  'chains.json',
  'key',
  'postgres.dump',
  'ipfs/identity',
])
const blockName = /^ipfs\/blocks\/[\w-]{1,16}\/[\w-]{1,250}\.data$/

export function isBlockName(name: string): boolean {
  return blockName.test(name)
}

/** Sums blocks up, in their order. */
export function createBlocksSum(): { add(path: string, bytes: number, sha256: string): void; sum(): BlocksSum } {
  const hash: Hash = createHash('sha256')
  let [count, total] = [0, 0]
  return {
    add(path, bytes, sha256) {
      hash.update(`${path} ${sha256}\n`)
      count++
      total += bytes
    },
    sum: () => ({ count, bytes: total, sha256: hash.digest('hex') }),
  }
}

/** Reads a manifest. Undefined for what is none of this version. */
export function readManifest(text: string): Manifest | undefined {
  try {
    const value = JSON.parse(text) as Manifest
    const isManifest =
      value.format === 'wayleave-backup' &&
      value.version === 1 &&
      value.migrations.every((name) => typeof name === 'string') &&
      value.files.every(({ path, sha256 }) => fileNames.has(path) && typeof sha256 === 'string')
    return isManifest ? value : undefined
  } catch {
    return undefined
  }
}
