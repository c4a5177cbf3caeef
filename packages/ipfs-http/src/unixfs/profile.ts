import { IpfsError } from '../error.ts'

/** The options of `add` that a profile fixes. Each of them changes CIDs. */
export interface ProfileOptions {
  readonly cidVersion: 0 | 1
  readonly rawLeaves: boolean
  /** `size-262144`, `rabin`, `rabin-512-1024-2048`, `buzhash`. */
  readonly chunker: string
  /** Most links of one block of a file, 2 to 8192. */
  readonly maxFileLinks: number
  /** Most entries of a directory that is one block; 0: any number. */
  readonly maxDirectoryLinks: number
  /** Slots of a shard: a power of two, 8 to 1024. */
  readonly maxHamtFanout: number
  /**
   * The size by which a directory of more than 256 KiB is sharded: that of its names and CIDs (`links`), or that of its block (`block`).
   */
  readonly sizeEstimation: 'links' | 'block'
}

/** The options that decide when and how a directory is sharded. */
export type DirectoryShape = Pick<ProfileOptions, 'maxDirectoryLinks' | 'maxHamtFanout' | 'sizeEstimation'>

/** The options that decide how a directory and those below it are written. */
export interface TreeShape extends DirectoryShape {
  /** Whether directories below the top that were given no entries are written, too. */
  readonly emptyDirs: boolean
}

/** The names of the profiles of IPIP-499. */
export type UnixFsProfile = 'unixfs-v0-2015' | 'unixfs-v1-2025'

/** The options of a profile, under those that were given. Without a profile, CIDv1 has raw leaves. */
export function withProfile(given: GivenOptions): ProfileOptions {
  const { profile, cidVersion, rawLeaves, chunker } = given
  const base = profiles[profile ?? 'unixfs-v0-2015']
  if (base === undefined) throw new IpfsError('bad_argument', `expected profile ${Object.keys(profiles).join(' or ')}`)
  const version = cidVersion ?? base.cidVersion
  return {
    ...base,
    cidVersion: version,
    rawLeaves: rawLeaves ?? (profile ? base.rawLeaves : version === 1),
    chunker: chunker || base.chunker,
  }
}

/** The options that a caller may leave open. */
interface GivenOptions {
  readonly profile?: UnixFsProfile | undefined
  readonly cidVersion?: 0 | 1 | undefined
  readonly rawLeaves?: boolean | undefined
  readonly chunker?: string | undefined
}

/** The profiles of IPIP-499. Source: the IPIP; Kubo `config/profile.go`. */
export const profiles: Readonly<Record<UnixFsProfile, ProfileOptions>> = {
  'unixfs-v0-2015': {
    cidVersion: 0,
    rawLeaves: false,
    chunker: 'size-262144',
    maxFileLinks: 174,
    maxDirectoryLinks: 0,
    maxHamtFanout: 256,
    sizeEstimation: 'links',
  },
  'unixfs-v1-2025': {
    cidVersion: 1,
    rawLeaves: true,
    chunker: 'size-1048576',
    maxFileLinks: 1024,
    maxDirectoryLinks: 0,
    maxHamtFanout: 256,
    sizeEstimation: 'block',
  },
}
