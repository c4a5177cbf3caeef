import { existsSync } from 'node:fs'
import { copyFile, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import type { AnvilExit } from './anvil.ts'
import { DevNodeError } from './error.ts'
import { spawnGuarded } from './guarded-process.ts'
import { readStarknetChain, type StarknetChain } from './starknet-chain.ts'
import { adoptDump, dumpPath, lockPath, waitForState } from './state-file.ts'

export interface StarknetDevnetOptions {
  /** The path of the program: {@link findStarknetDevnet} looks for it. */
  readonly binary: string
  /** Keeps the transactions over restarts, as `starknet-dev.json` in this folder. Default: memory only. */
  readonly dataDir?: string | undefined
  /** How many funded accounts there are. Default 10. */
  readonly accounts?: number
  /** What the accounts are made from: the same seed, the same accounts. Default 0. */
  readonly seed?: number
  readonly clock?: Clock | undefined
  /** Ends the chain when it aborts, also while it starts. */
  readonly signal?: AbortSignal | undefined
  /** Hears when it ends without having been told to. It is not started again. */
  readonly onExit?: ((exit: AnvilExit) => void) | undefined
}

/** A running starknet-devnet, on a free port of the loopback interface. */
export interface StarknetDevnet extends StarknetChain, AsyncDisposable {
  readonly httpUrl: string
  readonly wsUrl: string
  /** The id of its process. */
  readonly pid: number
  readonly exited: Promise<AnvilExit>
  /** Ends it and saves its transactions: SIGINT, after 10 s SIGKILL. May be called again. */
  close(): Promise<void>
}

const startWithinMs = 30_000
/** All that it did before is done again at the start. */
const replayWithinMs = 120_000
const graceMs = 10_000
const mostErrorLines = 10

/**
 * Starts one chain of Starknet, `SN_SEPOLIA` by its id. It ends with this process, whichever way that ends (on Windows only
 * by `close`, and without its state).
 * @throws DevNodeError `start_failed`, `state_unreadable`, `state_in_use` or `aborted`.
 */
export async function startStarknetDevnet(options: StarknetDevnetOptions): Promise<StarknetDevnet> {
  const { binary, dataDir, accounts = 10, seed = 0, clock = systemClock, signal, onExit } = options
  if (signal?.aborted === true) throw aborted(signal)
  const stateFile = dataDir === undefined ? undefined : join(dataDir, 'starknet-dev.json')
  const loads = stateFile !== undefined && (await openState(dataDir!, stateFile, clock, signal))
  const args = ['--host', '127.0.0.1', '--port', '0', '--accounts', String(accounts), '--seed', String(seed)]
  if (stateFile !== undefined) args.push('--dump-on', 'exit', '--dump-path', dumpPath(stateFile))

  const errors: string[] = []
  let onListening: (address: string) => void
  const listening = new Promise<string>((resolve) => (onListening = resolve))
  const attempt = new AbortController()
  let pid = 0
  let started = false
  let closing = false
  const guarded = spawnGuarded({
    command: binary,
    args,
    env: plainEnvironment(),
    graceMs,
    scratch: await mkdtemp(join(tmpdir(), 'wayleave-starknet-')),
    lock: stateFile === undefined ? undefined : lockPath(stateFile),
    onPid: (id) => (pid = id),
    // Of what it prints only the address is read: the rest holds the private keys of its accounts.
    onOutput: (line) => {
      const address = /listening on (127\.0\.0\.1:\d+)/.exec(line)?.[1]
      if (address !== undefined) onListening(address)
    },
    onError: (line) => {
      if (line.trim() === '') return
      errors.push(line)
      if (errors.length > mostErrorLines) errors.shift()
    },
  })
  const quote = (): string => (errors.length === 0 ? '' : `; it wrote: ${errors.join('\n')}`)
  const failure = (what: string, cause?: unknown): DevNodeError =>
    new DevNodeError('start_failed', `starknet-devnet ${what}${quote()}`, { cause })

  const exited = guarded.exited.then(async (status): Promise<AnvilExit> => {
    // What fails here fails again, and loudly, at the next start.
    if (stateFile !== undefined) await adoptDump(stateFile).catch(() => {})
    const exit = { status, expected: closing, message: `starknet-devnet exited with status ${status}${quote()}` }
    if (started && !closing) onExit?.(exit)
    if (!started) attempt.abort(exitFailure(status))
    return exit
  })

  function exitFailure(status: number): DevNodeError {
    if (!loads) return failure(`exited with status ${status} before it was ready`)
    const advice = 'restore it from a copy, or delete it to begin an empty chain'
    const message = `starknet-devnet exited with status ${status} while it read ${stateFile}: ${advice}${quote()}`
    return new DevNodeError('state_unreadable', message)
  }

  async function close(): Promise<void> {
    closing = true
    guarded.stop()
    await exited
  }

  const withinMs = loads ? replayWithinMs : startWithinMs
  const stopTimer = clock.after(withinMs, () => attempt.abort(failure(`did not start within ${withinMs} ms`)))
  const onAbort = (): void => attempt.abort(aborted(signal!))
  signal?.addEventListener('abort', onAbort, { once: true })
  const failed = new Promise<never>((_resolve, reject) => {
    attempt.signal.addEventListener('abort', () => reject(attempt.signal.reason as Error), { once: true })
  })
  // Heard below, unless the start succeeds.
  failed.catch(() => {})
  try {
    const address = await Promise.race([listening, failed])
    const httpUrl = `http://${address}`
    const chain = await Promise.race([readStarknetChain(httpUrl, { signal: attempt.signal }), failed]).catch(
      (thrown: unknown) => {
        throw thrown instanceof DevNodeError ? thrown : failure('listens but does not answer', thrown)
      },
    )
    attempt.signal.throwIfAborted()
    started = true
    // It saves its transactions on SIGINT alone, which it does not heed while it starts.
    guarded.endBy('INT')
    const end = (): void => void close()
    signal?.addEventListener('abort', end, { once: true })
    void exited.then(() => signal?.removeEventListener('abort', end))
    return { ...chain, httpUrl, wsUrl: `ws://${address}/ws`, pid, exited, close, [Symbol.asyncDispose]: close }
  } catch (thrown) {
    await close()
    throw thrown
  } finally {
    stopTimer()
    signal?.removeEventListener('abort', onAbort)
  }
}

/** Whether there is a state to begin with. It is read from a copy, which the next state is then written over. */
async function openState(
  dataDir: string,
  stateFile: string,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  await mkdir(dataDir, { recursive: true })
  await waitForState(stateFile, graceMs + 1_000, clock, signal)
  await adoptDump(stateFile)
  if (!existsSync(stateFile)) return false
  await copyFile(stateFile, dumpPath(stateFile))
  return true
}

/** Every option can come from the environment, `PORT` and `TIMEOUT` among them: what is set there is meant for others. */
function plainEnvironment(): Readonly<Record<string, string | undefined>> {
  const { PATH, HOME, TMPDIR, SystemRoot } = process.env
  return { PATH, HOME, TMPDIR, SystemRoot, RUST_LOG: 'error,starknet_devnet=info', NO_COLOR: '1' }
}

function aborted(signal: AbortSignal): DevNodeError {
  return new DevNodeError('aborted', 'the start was aborted', { cause: signal.reason })
}
