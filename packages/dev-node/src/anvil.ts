import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { type AnvilBlock, type AnvilCalls, anvilCalls } from './anvil-calls.ts'
import { type AnvilExit, type ChainProgram, openState, startChain } from './chain-process.ts'
import { DevNodeError } from './error.ts'
import { saveChain, saveWhileRunning } from './save-chain.ts'
import { brokenChain, keepOneGenesis, savedGenesisTimes } from './saved-genesis.ts'
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

/** Anvil's own saves, which overwrite one another in place, are put off by a year; see {@link saveWhileRunning}. */
const ownSaveSeconds = 31_536_000
/** How many of the newest blocks can be asked for their state. */
const mostStates = 1_000

/**
 * Starts one chain. It ends with this process, however that ends (on Windows only by `close`).
 * @throws DevNodeError with every code.
 */
export async function startAnvil(options: AnvilOptions): Promise<AnvilProcess> {
  const { name, chainId, stateFile, signal, onExit, clock = systemClock } = options
  const command = findAnvil()
  const loads = (await openState(stateFile, { clock, signal })) ? stateFile : undefined
  const program: Omit<ChainProgram<never>, 'args' | 'ask' | 'during' | 'stateFile' | 'onExit'> = {
    label: `anvil "${name}"`,
    command,
    startWithinMs: 30_000,
    listening: /^Listening on (\S+:\d+)$/,
    unreadable: (_status, errors) =>
      loads !== undefined && errors.some((line) => line.includes('--load-state'))
        ? `anvil cannot read the state file ${loads}`
        : undefined,
    clock,
    signal,
  }
  let genesisTimes = loads === undefined ? [] : await savedGenesisTimes(loads)
  if (loads !== undefined && genesisTimes.length > 1) {
    // Anvil itself tells the right one: it finds blocks by their hash.
    const mending = await startChain({
      ...program,
      args: (scratch) => [...anvilArgs(chainId, scratch), '--load-state', loads],
      ask: (address, attempt) => findGenesis(anvilCalls(address, attempt), loads),
      stateFile: undefined,
      onExit: undefined,
    })
    await mending.close()
    await keepOneGenesis(loads, mending.answer)
    genesisTimes = await savedGenesisTimes(loads)
  }
  const { address, pid, exited, close } = await startChain({
    ...program,
    args(scratch) {
      const args = anvilArgs(chainId, scratch)
      if (stateFile !== undefined)
        args.push('--dump-state', dumpPath(stateFile), '--state-interval', String(ownSaveSeconds))
      if (loads !== undefined) args.push('--load-state', loads)
      // The block 0 that anvil begins with is then the one that it loads.
      if (genesisTimes[0] !== undefined) args.push('--timestamp', String(genesisTimes[0]))
      return args
    },
    async ask(at, attempt) {
      const calls = anvilCalls(at, attempt)
      await calls.silence()
      if (loads !== undefined) return resume(calls, loads, clock)
      // A new chain is saved before anybody sees its block 0.
      return stateFile === undefined ? undefined : saveChain(calls, stateFile)
    },
    during: async (at, head, ended) => {
      if (stateFile !== undefined) await saveWhileRunning(anvilCalls(at, ended), stateFile, head, clock, ended)
    },
    stateFile,
    onExit,
  })
  const [httpUrl, wsUrl] = [`http://${address}`, `ws://${address}`]
  return { httpUrl, wsUrl, chainId, pid, exited, close, [Symbol.asyncDispose]: close }
}

function anvilArgs(chainId: number, scratch: string): string[] {
  const args = ['--host', '127.0.0.1', '--port', '0', '--chain-id', String(chainId), '--color', 'never']
  // No CORS: a web page must not reach the unlocked accounts past the gateway. No size limit: the gateway has its own.
  args.push('--no-cors', '--no-request-size-limit')
  // Anvil writes the state after every block here, some 150 kB each, and leaves it behind.
  args.push('--cache-path', scratch, '--max-persisted-states', String(mostStates))
  return args
}

/** Finds the parent of block 1; undefined if there is no block 1. */
async function findGenesis(calls: AnvilCalls, stateFile: string): Promise<AnvilBlock | undefined> {
  const first = await calls.block('0x1')
  if (first === null) return undefined
  const genesis = await calls.blockOf(first.parentHash)
  if (genesis === null) throw brokenChain(stateFile)
  return genesis
}

/** Checks that block 1 names block 0, sets the time, which `--timestamp` has set to that of block 0, and gives the head's hash. */
async function resume(calls: AnvilCalls, stateFile: string, clock: Clock): Promise<string> {
  const [genesis, first, latest] = await Promise.all([calls.block('0x0'), calls.block('0x1'), calls.latest()])
  if (first !== null && first.parentHash !== genesis?.hash) throw brokenChain(stateFile)
  // The time of a chain that was set forward does not go back.
  await calls.setTime(Math.max(Math.floor(clock.date() / 1_000), Number(latest.timestamp)))
  return latest.hash
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
