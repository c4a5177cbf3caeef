/** The parts of a process that {@link keepMemorySteady} reads. */
export interface StartedProcess {
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly execPath: string
  readonly execArgv: readonly string[]
  readonly argv: readonly string[]
  /** Present where a parent listens: a replaced process would lose it. */
  readonly send?: unknown
  execve?(file: string, args: readonly string[], env: Record<string, string>): never
}

/**
 * Settings of glibc's allocator, which reads them only when a process begins: the memory of a buffer from this length on, in bytes, goes
 * back to the system when it is freed, and threads share two arenas. Else what a burst of large answers took is kept for good.
 */
const settings = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }

/**
 * A bound of V8's room for new objects: three times 16 MiB. It grows with their rate, to twice as much, and shrinks only where hardly any
 * are made, so that a gateway that tells events to many connections would keep all of it.
 */
const heapFlag = '--max-semi-space-size=16'
const namesRoom = /--max[-_]semi[-_]space[-_]size/

/** Begins the process again, under its id, with settings under which it gives memory back; leaves it as it is where it has some. */
export function keepMemorySteady(started: StartedProcess): void {
  const { platform, env, execPath, execArgv, argv, send } = started
  if (platform !== 'linux' || send !== undefined || started.execve === undefined) return
  if (Object.keys(settings).some((name) => env[name] !== undefined)) return
  const set = Object.entries({ ...env, ...settings }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const hasRoom = [env['NODE_OPTIONS'] ?? '', ...execArgv].some((option) => namesRoom.test(option))
  const flags = hasRoom ? execArgv : [...execArgv, heapFlag]
  started.execve(execPath, [execPath, ...flags, ...argv.slice(1)], Object.fromEntries(set))
}
