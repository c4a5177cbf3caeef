import { join } from 'node:path'
import type { Clock } from '@wayleave/jsonrpc-core'
import { type AnvilProcess, startAnvil } from './anvil.ts'
import type { AnvilExit } from './chain-process.ts'

export interface DevNodeOptions {
  /** Keeps the chains over restarts, as `<network>.json` in this folder. Default: memory only. */
  readonly dataDir?: string | undefined
  readonly clock?: Clock | undefined
  /** Ends both chains when it aborts, even while they start. */
  readonly signal?: AbortSignal | undefined
  /** Called when a chain ends without having been told to. It is not started again. */
  readonly onExit?: ((network: 'dev' | 'rollup-dev', exit: AnvilExit) => void) | undefined
}

/** A running chain and its URLs. */
export interface DevNetwork {
  readonly chainId: number
  readonly httpUrl: string
  readonly wsUrl: string
  /** The id of the chain's process. */
  readonly pid: number
}

/** Two running chains: `dev` (31337), and `rollup-dev` (901), whose L1 is `dev`. */
export interface DevNode extends AsyncDisposable {
  readonly networks: { readonly dev: DevNetwork; readonly 'rollup-dev': DevNetwork }
  /** Ends both chains and saves their states. May be called again. */
  close(): Promise<void>
}

/**
 * Starts both chains, or neither.
 * @throws DevNodeError with every code.
 */
export async function startDevNode(options: DevNodeOptions = {}): Promise<DevNode> {
  const { dataDir, clock, signal, onExit } = options
  const start = (name: 'dev' | 'rollup-dev', chainId: number): Promise<AnvilProcess> =>
    startAnvil({
      name,
      chainId,
      stateFile: dataDir === undefined ? undefined : join(dataDir, `${name}.json`),
      clock,
      signal,
      onExit: (exit) => onExit?.(name, exit),
    })
  const starting = [start('dev', 31337), start('rollup-dev', 901)] as const
  let dev: AnvilProcess
  let rollup: AnvilProcess
  try {
    ;[dev, rollup] = await Promise.all(starting)
  } catch (error) {
    const started = await Promise.allSettled(starting)
    await Promise.all(started.map((each) => (each.status === 'fulfilled' ? each.value.close() : undefined)))
    throw error
  }
  const close = async (): Promise<void> => {
    await Promise.all([dev.close(), rollup.close()])
  }
  return { networks: { dev, 'rollup-dev': rollup }, close, [Symbol.asyncDispose]: close }
}
