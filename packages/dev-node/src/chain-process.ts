import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock } from '@wayleave/jsonrpc-core'
import { abortedStart, DevNodeError } from './error.ts'
import { spawnGuarded } from './guarded-process.ts'
import { adoptDump, dropDump, lockPath, savingPath, waitForState } from './state-file.ts'

/** How a chain's process ended. */
export interface AnvilExit {
  /** Its exit status; 128 + n if signal n ended it. */
  readonly status: number
  /** Whether it was told to end. */
  readonly expected: boolean
  /** A sentence for a log, with the last lines that the process wrote about an error. */
  readonly message: string
}

/** The parts of a start that any chain's caller chooses. */
export interface ChainCall {
  readonly clock: Clock
  /** Ends the chain when it aborts, even while it starts. */
  readonly signal: AbortSignal | undefined
  /** Called when the process ends without having been told to. */
  readonly onExit: ((exit: AnvilExit) => void) | undefined
}

/** A program that runs one chain. `T` is the answer to the first question. */
export interface ChainProgram<T> extends ChainCall {
  /** Its name in errors: `anvil "dev"`. */
  readonly label: string
  readonly command: string
  /** Its arguments; `scratch` is a folder that is removed when it has ended. */
  readonly args: (scratch: string) => readonly string[]
  /** Default: the environment of this process. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly stateFile: string | undefined
  readonly startWithinMs: number
  /** Finds the address in a line of output. No other line is read: they hold the private keys of the accounts. */
  readonly listening: RegExp
  /** Ends it once it has started. Default SIGTERM. */
  readonly endBy?: 'INT'
  /** Asks it the first question. */
  ask(address: string, signal: AbortSignal): Promise<T>
  /** Runs from then on until the process has ended, which aborts the signal. It never rejects. */
  during?(address: string, answer: T, ended: AbortSignal): Promise<void>
  /** Says that an early exit is due to the state file; undefined if it is not. */
  unreadable(status: number, errors: readonly string[]): string | undefined
}

/** A chain that has started. */
export interface ChainProcess<T> extends Listening {
  readonly answer: T
  readonly exited: Promise<AnvilExit>
  /** Ends it and waits until its state is saved. May be called again. */
  close(): Promise<void>
}

interface Listening {
  readonly pid: number
  /** Host and port. */
  readonly address: string
}

/** How long a process may take to save its state before SIGKILL. */
const graceMs = 10_000
const mostErrorLines = 10

/**
 * Waits until a state file is free, and tells whether it holds a state to begin with.
 * @throws DevNodeError `state_in_use`, `aborted`
 */
export async function openState(
  stateFile: string | undefined,
  { clock, signal }: Pick<ChainCall, 'clock' | 'signal'>,
): Promise<boolean> {
  if (signal?.aborted === true) throw abortedStart(signal)
  if (stateFile === undefined) return false
  await mkdir(dirname(stateFile), { recursive: true })
  await waitForState(stateFile, graceMs + 1_000, clock, signal)
  await rm(savingPath(stateFile), { force: true })
  await adoptDump(stateFile)
  return existsSync(stateFile)
}

/**
 * Starts a chain's process, and waits until it has answered.
 * @throws DevNodeError `start_failed`, `state_unreadable`, `aborted`
 */
export async function startChain<T>(program: ChainProgram<T>): Promise<ChainProcess<T>> {
  const { label, stateFile, startWithinMs, clock, signal } = program
  const attempt = new AbortController()
  const errors: string[] = []
  let onListening: (at: Listening) => void
  const listening = new Promise<Listening>((resolve, reject) => {
    onListening = resolve
    attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason as Error), { once: true })
  })
  let pid: number | undefined
  let address: string | undefined
  const ended = new AbortController()
  let during: Promise<void> | undefined
  let hasStarted = false
  let isClosing = false

  const scratch = await mkdtemp(join(tmpdir(), 'wayleave-chain-'))
  const guarded = spawnGuarded({
    command: program.command,
    args: program.args(scratch),
    env: program.env,
    graceMs,
    scratch,
    lock: stateFile === undefined ? undefined : lockPath(stateFile),
    onPid(id) {
      pid = id
      checkListening()
    },
    onOutput(line) {
      address ??= program.listening.exec(line)?.[1]
      checkListening()
    },
    onError(line) {
      if (line.trim() === '') return
      errors.push(line)
      if (errors.length > mostErrorLines) errors.shift()
    },
  })
  const exited = guarded.exited.then(onExit)

  function checkListening(): void {
    if (pid !== undefined && address !== undefined) onListening({ pid, address })
  }

  async function onExit(status: number): Promise<AnvilExit> {
    const expected = isClosing
    ended.abort()
    await during
    // A chain that did not start leaves the state as it was. A failure here comes again, and loudly, at the next start.
    if (stateFile !== undefined) await (hasStarted ? adoptDump : dropDump)(stateFile).catch(() => {})
    const exit = { status, expected, message: `${label} exited with status ${status}${quote()}` }
    if (!hasStarted) attempt.abort(exitFailure(status))
    else if (!expected) program.onExit?.(exit)
    signal?.removeEventListener('abort', onAbort)
    return exit
  }

  function onAbort(): void {
    if (hasStarted) void close()
    else attempt.abort(abortedStart(signal!))
  }

  async function close(): Promise<void> {
    isClosing = true
    guarded.stop()
    await exited
  }

  function failure(what: string, cause?: unknown): DevNodeError {
    return new DevNodeError('start_failed', `${label} ${what}${quote()}`, { cause })
  }

  function exitFailure(status: number): DevNodeError {
    const unreadable = program.unreadable(status, errors)
    if (unreadable === undefined) return failure(`exited with status ${status} before it was ready`)
    const advice = 'restore it from a copy, or delete it to begin an empty chain'
    return new DevNodeError('state_unreadable', `${unreadable}: ${advice}${quote()}`)
  }

  function quote(): string {
    return errors.length === 0 ? '' : `; it wrote: ${errors.join('\n')}`
  }

  const stopTimer = clock.after(startWithinMs, () => attempt.abort(failure(`did not start within ${startWithinMs} ms`)))
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted === true) onAbort()
  try {
    const at = await listening
    const answer = await program.ask(at.address, attempt.signal).catch((thrown: unknown) => {
      throw thrown instanceof DevNodeError ? thrown : failure('listens but does not answer', thrown)
    })
    attempt.signal.throwIfAborted()
    hasStarted = true
    during = program.during?.(at.address, answer, ended.signal)
    if (program.endBy !== undefined) guarded.endBy(program.endBy)
    return { ...at, answer, exited, close }
  } catch (thrown) {
    const why: unknown = attempt.signal.aborted ? attempt.signal.reason : thrown
    await close()
    throw why
  } finally {
    stopTimer()
  }
}
