/** An error of a backup or of a restore; its message says what to do, and holds no secret. */
export class BackupError extends Error {
  override readonly name: string = 'BackupError'
}

/** Explains an error of the file system; anything else is thrown on. */
export function explainDisk(thrown: unknown, path: string): BackupError {
  if (thrown instanceof BackupError) return thrown
  const { code, syscall } = (thrown ?? {}) as NodeJS.ErrnoException
  if (code === 'ENOSPC' || code === 'EDQUOT') {
    return new BackupError(`the disk of ${path} is full: free space, or choose another place`)
  }
  if (syscall === undefined) throw thrown
  return new BackupError(
    `${path} cannot be used (${code}): see that it exists, and that this user may read and write it`,
  )
}
