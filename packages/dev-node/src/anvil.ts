import { existsSync } from 'node:fs'
import { mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { findAnvil } from './anvil-binary.ts'
import { DevNodeError } from './error.ts'
import { type GuardedProcess, spawnGuarded } from './guarded-process.ts'
import { adoptDump, dumpPath, lockPath, waitForState } from './state-file.ts'

export interface AnvilOptions {
  /** Names the chain in errors. */
  readonly name: string
  readonly chainId: number
  /** Keeps blocks, receipts and balances over restarts; its folder is made where it is missing. Default: memory only. */
  readonly stateFile?: string | undefined
  readonly clock?: Clock | undefined
  /** Ends the chain when it aborts, also while it starts. */
  readonly signal?: AbortSignal | undefined
  /** Hears when anvil ends without having been told to. It is not started again. */
  readonly onExit?: ((exit: AnvilExit) => void) | undefined
}

/** How anvil ended. */
export interface AnvilExit {
  /** Its exit status; 128 + n where signal n ended it. */
  readonly status: number
  /** Whether it was told to end. */
  readonly expected: boolean
  /** A sentence for a log, with the last lines that anvil wrote about an error. */
  readonly message: string
}

/** A running anvil, on a free port of the loopback interface. */
export interface AnvilProcess extends AsyncDisposable {
  readonly httpUrl: string
  readonly wsUrl: string
  readonly chainId: number
  /** The id of anvil itself. */
  readonly pid: number
  readonly exited: Promise<AnvilExit>
  /** Ends anvil and saves its state: SIGTERM, after 10 s SIGKILL. May be called again. */
  close(): Promise<void>
}

const startWithinMs = 30_000
const graceMs = 10_000
const saveEverySeconds = 30
/** How many of the newest blocks can be asked for their state. */
const mostStates = 1_000
const mostErrorLines = 10

/**
 * Starts one chain. It ends with this process, whichever way that ends (on Windows only by `close`).
 * @throws DevNodeError with every code.
 */
export async function startAnvil(options: AnvilOptions): Promise<AnvilProcess> {
  const { stateFile, signal, clock = systemClock } = options
  if (signal?.aborted === true) throw aborted(signal)
  const binary = findAnvil()
  if (stateFile !== undefined) {
    await mkdir(dirname(stateFile), { recursive: true })
    await waitForState(stateFile, graceMs + 1_000, clock, signal)
    await adoptDump(stateFile)
  }
  const scratch = await mkdtemp(join(tmpdir(), 'wayleave-anvil-'))
  const anvil = new Anvil(options, binary, scratch, clock)
  await anvil.start()
  return anvil
}

class Anvil implements AnvilProcess {
  readonly chainId: number
  readonly exited: Promise<AnvilExit>
  readonly #options: AnvilOptions
  readonly #clock: Clock
  readonly #loads: boolean
  readonly #process: GuardedProcess
  readonly #errors: string[] = []
  #pid: number | undefined
  #address: string | undefined
  #listening: (() => void) | undefined
  #started = false
  #closing = false

  constructor(options: AnvilOptions, binary: string, scratch: string, clock: Clock) {
    const { chainId, stateFile } = options
    this.chainId = chainId
    this.#options = options
    this.#clock = clock
    this.#loads = stateFile !== undefined && existsSync(stateFile)
    this.#process = spawnGuarded({
      command: binary,
      args: anvilArgs(chainId, scratch, stateFile, this.#loads),
      graceMs,
      scratch,
      lock: stateFile === undefined ? undefined : lockPath(stateFile),
      onPid: (pid) => {
        this.#pid = pid
        this.#checkListening()
      },
      // Of what anvil prints only the address is read: the rest holds the private keys of its accounts.
      onOutput: (line) => {
        this.#address ??= /^Listening on (\S+:\d+)$/.exec(line)?.[1]
        this.#checkListening()
      },
      onError: (line) => {
        if (line.trim() === '') return
        this.#errors.push(line)
        if (this.#errors.length > mostErrorLines) this.#errors.shift()
      },
    })
    this.exited = this.#process.exited.then((status) => this.#onExit(status))
  }

  get httpUrl(): string {
    return `http://${this.#address}`
  }

  get wsUrl(): string {
    return `ws://${this.#address}`
  }

  get pid(): number {
    return this.#pid!
  }

  async start(): Promise<void> {
    const { signal } = this.#options
    const attempt = new AbortController()
    const stopTimer = this.#clock.after(startWithinMs, () => {
      attempt.abort(this.#failure(`did not start within ${startWithinMs} ms`))
    })
    const onAbort = (): void => attempt.abort(aborted(signal!))
    signal?.addEventListener('abort', onAbort, { once: true })
    void this.exited.then(({ status }) => attempt.abort(this.#exitFailure(status)))
    try {
      if (signal?.aborted === true) onAbort()
      await this.#becomeReady(attempt.signal)
      attempt.signal.throwIfAborted()
      this.#started = true
    } catch (thrown) {
      const why: unknown = attempt.signal.aborted ? attempt.signal.reason : thrown
      await this.close()
      throw why
    } finally {
      stopTimer()
      signal?.removeEventListener('abort', onAbort)
    }
    const end = (): void => void this.close()
    signal?.addEventListener('abort', end, { once: true })
    void this.exited.then(() => signal?.removeEventListener('abort', end))
  }

  async close(): Promise<void> {
    this.#closing = true
    this.#process.stop()
    await this.exited
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  async #becomeReady(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    await new Promise<void>((resolve, reject) => {
      this.#listening = resolve
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
      this.#checkListening()
    })
    try {
      // A line printed for every call would cost this process as much as the call. It also shows that anvil answers.
      const body = '{"jsonrpc":"2.0","id":1,"method":"anvil_setLoggingEnabled","params":[false]}'
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(this.httpUrl, { method: 'POST', headers, body, signal })
      await response.arrayBuffer()
    } catch (cause) {
      throw this.#failure('listens but does not answer', cause)
    }
  }

  #checkListening(): void {
    if (this.#pid !== undefined && this.#address !== undefined) this.#listening?.()
  }

  async #onExit(status: number): Promise<AnvilExit> {
    const { name, stateFile, onExit } = this.#options
    const expected = this.#closing
    // What fails here fails again, and loudly, at the next start.
    if (stateFile !== undefined) await adoptDump(stateFile).catch(() => {})
    const exit = { status, expected, message: `anvil "${name}" exited with status ${status}${this.#quote()}` }
    if (this.#started && !expected) onExit?.(exit)
    return exit
  }

  #exitFailure(status: number): DevNodeError {
    const { stateFile } = this.#options
    if (this.#loads && this.#errors.some((line) => line.includes('--load-state'))) {
      const advice = 'restore it from a copy, or delete it to begin an empty chain'
      return new DevNodeError(
        'state_unreadable',
        `anvil cannot read the state file ${stateFile}: ${advice}${this.#quote()}`,
      )
    }
    return this.#failure(`exited with status ${status} before it was ready`)
  }

  #failure(what: string, cause?: unknown): DevNodeError {
    return new DevNodeError('start_failed', `anvil "${this.#options.name}" ${what}${this.#quote()}`, { cause })
  }

  #quote(): string {
    return this.#errors.length === 0 ? '' : `; it wrote: ${this.#errors.join('\n')}`
  }
}

function anvilArgs(chainId: number, scratch: string, stateFile: string | undefined, loads: boolean): string[] {
  const args = ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId), '--color', 'never']
  // No CORS: a web page must not reach the unlocked accounts past the gateway. No size limit: the gateway has its own.
  args.push('--no-cors', '--no-request-size-limit')
  // Anvil writes the state after every block here, some 150 kB each, and leaves it behind.
  args.push('--cache-path', scratch, '--max-persisted-states', String(mostStates))
  if (stateFile === undefined) return args
  args.push('--dump-state', dumpPath(stateFile), '--state-interval', String(saveEverySeconds))
  if (loads) args.push('--load-state', stateFile)
  return args
}

function aborted(signal: AbortSignal): DevNodeError {
  return new DevNodeError('aborted', 'the start was aborted', { cause: signal.reason })
}
