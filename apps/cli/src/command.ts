/** What a command takes from its process. */
export interface CommandIo {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly process: NodeJS.Process
}

export interface Command {
  /** What `--help` prints; it may depend on what stands beside that. */
  readonly help: string | ((args: readonly string[]) => string)
  /** Resolves with the exit code: 0 done, 1 failed, 2 used wrongly. */
  run(args: readonly string[], io: CommandIo): Promise<number>
}

/** Thrown for arguments that cannot be used; the message says what was expected. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}
