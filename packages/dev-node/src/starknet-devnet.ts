import { copyFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { type AnvilExit, openState, startChain } from './chain-process.ts'
import { readStarknetChain, type StarknetChain } from './starknet-chain.ts'
import { dumpPath } from './state-file.ts'

export interface StarknetDevnetOptions {
  /** The path of the program, which {@link findStarknetDevnet} looks for. */
  readonly binary: string
  /** Keeps the transactions over restarts, as `starknet-dev.json` in this folder. Default: memory only. */
  readonly dataDir?: string | undefined
  /** The number of funded accounts. Default 10. */
  readonly accounts?: number
  /** Determines the accounts: the same seed gives the same accounts. Default 0. */
  readonly seed?: number
  readonly clock?: Clock | undefined
  /** Ends the chain when it aborts, even while it starts. */
  readonly signal?: AbortSignal | undefined
  /** Called when it ends without having been told to. It is not started again. */
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
/** A start with a state sends all of its transactions again. */
const replayWithinMs = 120_000

/**
 * Starts one chain of Starknet, `SN_SEPOLIA` by its id. It ends with this process, however that ends (on Windows only by
 * `close`, and without its state).
 * @throws DevNodeError `start_failed`, `state_unreadable`, `state_in_use` or `aborted`.
 */
export async function startStarknetDevnet(options: StarknetDevnetOptions): Promise<StarknetDevnet> {
  const { binary, dataDir, accounts = 10, seed = 0, clock = systemClock, signal, onExit } = options
  const stateFile = dataDir === undefined ? undefined : join(dataDir, 'starknet-dev.json')
  const loads = await openState(stateFile, { clock, signal })
  const args = ['--host', '127.0.0.1', '--port', '0', '--accounts', String(accounts), '--seed', String(seed)]
  if (stateFile !== undefined) args.push('--dump-on', 'exit', '--dump-path', dumpPath(stateFile))
  // It reads its state from the file that it will write: a copy, so that the state itself stays whole.
  if (loads) await copyFile(stateFile!, dumpPath(stateFile!))
  const { address, pid, answer, exited, close } = await startChain({
    label: 'starknet-devnet',
    command: binary,
    args: () => args,
    env: plainEnvironment(),
    stateFile,
    startWithinMs: loads ? replayWithinMs : startWithinMs,
    listening: /listening on (127\.0\.0\.1:\d+)/,
    // It saves its transactions on SIGINT alone, which it ignores while it starts.
    endBy: 'INT',
    ask: (at, attempt) => readStarknetChain(`http://${at}`, { signal: attempt }),
    unreadable: (status) =>
      loads ? `starknet-devnet exited with status ${status} while it read ${stateFile}` : undefined,
    clock,
    signal,
    onExit,
  })
  const [httpUrl, wsUrl] = [`http://${address}`, `ws://${address}/ws`]
  return { ...answer, httpUrl, wsUrl, pid, exited, close, [Symbol.asyncDispose]: close }
}

/** Keeps most variables away: every option can come from the environment, even `PORT` and `TIMEOUT`, which are meant for others. */
function plainEnvironment(): Readonly<Record<string, string | undefined>> {
  const { PATH, HOME, TMPDIR, SystemRoot } = process.env
  return { PATH, HOME, TMPDIR, SystemRoot, RUST_LOG: 'error,starknet_devnet=info', NO_COLOR: '1' }
}
