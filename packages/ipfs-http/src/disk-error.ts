import { IpfsError } from './error.ts'

const reasons: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: unpin content, or free space',
  EDQUOT: 'the quota of the disk is used up: unpin content, or free space',
  EACCES: 'permission denied: give this user the folder',
  EPERM: 'permission denied: give this user the folder',
  EROFS: 'the file system is read-only',
  ENOENT: 'a folder of its path is missing, or cannot be made',
  ENOTDIR: 'there is a file where a folder should be',
  EISDIR: 'there is a folder where a file should be: remove it',
  ELOOP: 'there is a link to itself where a file should be: remove it',
  EEXIST: 'there is a file where a folder should be',
  EMFILE: 'too many open files: raise the limit (ulimit -n)',
  ENFILE: 'too many open files in the system: raise its limit',
  EIO: 'the disk reported an error',
}

/** The code of a system error (`ENOSPC`), or undefined. */
export function systemCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

/** Turns a system error into an {@link IpfsError} `storage` that says what to do. Returns other errors as they are. */
export function diskError(error: unknown, what: string): unknown {
  const code = systemCode(error)
  if (error instanceof IpfsError || code === undefined) return error
  return new IpfsError('storage', `${what}: ${reasons[code] ?? code}`, { cause: error })
}

/** Creates the error of a disk that has no room for a block. */
export function diskFull(): IpfsError {
  return new IpfsError('storage', reasons['ENOSPC']!, {
    cause: Object.assign(new Error('no room'), { code: 'ENOSPC' }),
  })
}

/** Whether an error is that of a full disk, which has room again later. */
export function isDiskFull(thrown: unknown): boolean {
  const code = thrown instanceof IpfsError ? systemCode(thrown.cause) : undefined
  return code === 'ENOSPC' || code === 'EDQUOT'
}
