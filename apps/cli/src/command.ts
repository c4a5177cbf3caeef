/** The parts of its process that a command uses. */
export interface CommandIo {
  readonly stdout: (text: string) => void
  readonly stderr: (text: string) => void
  readonly env: Readonly<Record<string, string | undefined>>
  readonly process: NodeJS.Process
}

export interface Command {
  /** The text of `--help`, which may depend on the other arguments. */
  readonly help: string | ((args: readonly string[]) => string)
  /** Words that may follow and that its help does not list, for completion. */
  readonly words?: () => Promise<readonly { readonly name: string; readonly summary: string }[]>
  /** Tells whether stdout gets content, so that errors in JSON go to stderr. */
  readonly writesContent?: (args: readonly string[]) => boolean
  /** Resolves with the exit code: 0 done, 1 failed, 2 used wrongly. */
  run(args: readonly string[], io: CommandIo): Promise<number>
}

/** A command in the list. Its code loads when it is called: all commands together take a third of a second to load. */
export interface ListedCommand {
  readonly name: string
  /** The line of `wayleave --help`. */
  readonly summary: string
  load(): Promise<Command>
}

/** An error for unusable arguments; the message says what was expected. */
export class UsageError extends Error {
  override readonly name: string = 'UsageError'
}
