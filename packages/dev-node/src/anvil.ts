import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { type AnvilExit, openState, startChain } from './chain-process.ts'
import { DevNodeError } from './error.ts'
import { dumpPath } from './state-file.ts'

export interface AnvilOptions {
  /** The chain's name in errors. */
  readonly name: string
  readonly chainId: number
  /** Keeps blocks, receipts and balances over restarts; its folder is made if it is missing. Default: memory only. */
  readonly stateFile?: string | undefined
  readonly clock?: Clock | undefined
  /** Ends the chain when it aborts, even while it starts. */
  readonly signal?: AbortSignal | undefined
  /** Called when anvil ends without having been told to. It is not started again. */
  readonly onExit?: ((exit: AnvilExit) => void) | undefined
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

const saveEverySeconds = 30
/** How many of the newest blocks can be asked for their state. */
const mostStates = 1_000

/**
 * Starts one chain. It ends with this process, however that ends (on Windows only by `close`).
 * @throws DevNodeError with every code.
 */
export async function startAnvil(options: AnvilOptions): Promise<AnvilProcess> {
  const { name, chainId, stateFile, signal, onExit, clock = systemClock } = options
  const command = findAnvil()
  const loads = await openState(stateFile, { clock, signal })
  const { address, pid, exited, close } = await startChain({
    label: `anvil "${name}"`,
    command,
    args: (scratch) => anvilArgs(chainId, scratch, stateFile, loads),
    stateFile,
    startWithinMs: 30_000,
    listening: /^Listening on (\S+:\d+)$/,
    ask: silence,
    unreadable: (_status, errors) =>
      loads && errors.some((line) => line.includes('--load-state'))
        ? `anvil cannot read the state file ${stateFile}`
        : undefined,
    clock,
    signal,
    onExit,
  })
  const [httpUrl, wsUrl] = [`http://${address}`, `ws://${address}`]
  return { httpUrl, wsUrl, chainId, pid, exited, close, [Symbol.asyncDispose]: close }
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

/** Stops the line that anvil prints for every call, which would cost this process as much as the call. */
async function silence(address: string, signal: AbortSignal): Promise<void> {
  const body = '{"jsonrpc":"2.0","id":1,"method":"anvil_setLoggingEnabled","params":[false]}'
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`http://${address}`, { method: 'POST', headers, body, signal })
  await response.arrayBuffer()
}

const builds: Readonly<Record<string, string>> = {
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
  'win32-x64': '@foundry-rs/anvil-win32-amd64',
}

/**
 * Finds the anvil binary for a platform and architecture in Node's words.
 * @throws DevNodeError `unsupported_platform` or `binary_missing`.
 */
export function findAnvil(platform: string = process.platform, arch: string = process.arch): string {
  const build = builds[`${platform}-${arch}`]
  if (build === undefined) {
    const known = Object.keys(builds).join(', ')
    throw new DevNodeError('unsupported_platform', `anvil has no build for ${platform}-${arch}, only for ${known}`)
  }
  try {
    // The build is a dependency of anvil, not ours: only from there does it resolve under every package manager.
    const anvil = import.meta.resolve('@foundry-rs/anvil/package.json')
    const home = dirname(createRequire(anvil).resolve(`${build}/package.json`))
    return join(home, 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil')
  } catch (cause) {
    const message = `the package ${build} is not installed; install again with optional dependencies`
    throw new DevNodeError('binary_missing', message, { cause })
  }
}
