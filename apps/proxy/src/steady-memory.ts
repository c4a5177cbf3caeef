/** The parts of a process that {@link keepMemorySteady} reads. */
export interface StartedProcess {
  readonly pid: number
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly execPath: string
  readonly execArgv: readonly string[]
  readonly argv: readonly string[]
  /** Present where a parent listens: a replaced process would lose it. */
  readonly send?: unknown
  /** The memory of its control group in bytes; 0, or more than there is, where it has no limit. */
  constrainedMemory?(): number
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

/**
 * Below this memory of a control group, in bytes, V8 would let its heap grow past it, to some 300 MB, and the kernel would end the process;
 * from there on V8 takes half of it by itself.
 */
const smallMemory = 2 ** 30
const namesOldSpace = /--max[-_](?:old[-_]space|heap)[-_]size/

/** Begins the process again, under its id, with settings under which it gives memory back; leaves it as it is where it has some. */
export function keepMemorySteady(started: StartedProcess): void {
  const { pid, platform, env, execPath, execArgv, argv, send } = started
  if (platform !== 'linux' || send !== undefined || started.execve === undefined) return
  // Node closes what a service manager passed when it begins again.
  if (env['LISTEN_PID'] === String(pid)) return
  if (Object.keys(settings).some((name) => env[name] !== undefined)) return
  const set = Object.entries({ ...env, ...settings }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  const names = (flag: RegExp): boolean => [env['NODE_OPTIONS'] ?? '', ...execArgv].some((option) => flag.test(option))
  const flags = [...execArgv]
  if (!names(namesRoom)) flags.push(heapFlag)
  const memory = started.constrainedMemory?.() ?? 0
  if (memory > 0 && memory < smallMemory && !names(namesOldSpace)) {
    flags.push(`--max-old-space-size=${Math.floor(memory / 2 ** 21)}`)
  }
  started.execve(execPath, [execPath, ...flags, ...argv.slice(1)], Object.fromEntries(set))
}
