import {
  type AnvilExit,
  DevNodeError,
  findStarknetDevnet,
  readStarknetChain,
  type StarknetChain,
  startStarknetDevnet,
} from '@wayleave/dev-node'
import { RpcError } from '@wayleave/jsonrpc-core'
import { UsageError } from './command.ts'

/** The network `starknet-dev` of `wayleave dev`. */
export interface DevStarknet extends StarknetChain {
  /** Upstreams of a gateway. */
  readonly upstreams: readonly { readonly name: string; readonly url: string }[]
  close(): Promise<void>
}

/** The reason why there is no Starknet network, and how to get one. */
export interface NoStarknet {
  readonly why: string
}

export interface DevStarknetOptions {
  /** The URL of a running node. Default: a `starknet-devnet` from the `PATH` is started. */
  readonly url: string | undefined
  readonly dataDir: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly onExit: (exit: AnvilExit) => void
  /** Called with a sentence if an installed `starknet-devnet` does not start. */
  readonly onFailure: (why: string) => void
}

const another = 'name a node that runs with --starknet-url'

/**
 * Opens the node at `url`, else starts the `starknet-devnet` on the `PATH`. A devnet that is missing or does not start is no
 * failure, as the EVM chains work without it. @throws UsageError if no Starknet node answers at `url`.
 */
export async function openDevStarknet(options: DevStarknetOptions): Promise<DevStarknet | NoStarknet> {
  const { url, dataDir, env, onExit, onFailure } = options
  if (url !== undefined) {
    const chain = await readStarknetChain(url).catch((thrown: unknown) => {
      if (!(thrown instanceof RpcError)) throw thrown
      throw new UsageError(`--starknet-url: expected the URL of a Starknet node, got none: ${thrown.message}`)
    })
    return { ...chain, upstreams: [{ name: 'starknet', url }], close: async () => {} }
  }
  const binary = findStarknetDevnet(env)
  if (binary === undefined) {
    const install = 'install one (cargo install starknet-devnet --locked) and start again'
    return { why: `no starknet-devnet is on the PATH; ${install}, or ${another}` }
  }
  try {
    const devnet = await startStarknetDevnet({ binary, dataDir, onExit })
    const upstreams = [
      { name: 'starknet-devnet-http', url: devnet.httpUrl },
      // Subscriptions need a WebSocket.
      { name: 'starknet-devnet-ws', url: devnet.wsUrl },
    ]
    return { ...devnet, upstreams }
  } catch (thrown) {
    if (!(thrown instanceof DevNodeError)) throw thrown
    onFailure(thrown.message)
    return { why: `${thrown.message}; mend that, or ${another}` }
  }
}
