import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePorts } from '../two-nodes/nodes/free-ports.ts'
import { NodeProcess } from '../two-nodes/nodes/node-process.ts'
import type { StreamChain } from './chain/stream-chain.ts'

const key = '2b0de5002b0de5002b0de5002b0de500'
export const paths = { http: `/v3/${key}`, ws: `/ws/v3/${key}` }

export interface GatewayOptions {
  readonly chain: Pick<StreamChain, 'chainId' | 'nodes'>
  readonly verify: string
  /** A folder for its configuration, its log and its store. */
  readonly folder: string
}

/** A gateway in a process of its own, always at the same addresses; its `url` and `ws` hold the key. */
export type Gateway = NodeProcess & {
  /** Ends it as an operator does, by SIGTERM, and starts it again after `downMs`. */
  restart(downMs: number): Promise<void>
}

const program = fileURLToPath(import.meta.resolve('../../../apps/proxy/src/main.ts'))
const stopWithinMs = 60_000

/** The configuration of a gateway over nodes, each an upstream with a WebSocket. */
export function configOf({ chain, verify }: Pick<GatewayOptions, 'chain' | 'verify'>, listen: string) {
  const upstreams = chain.nodes.map(({ name, url, ws }) => ({ name, url, ws }))
  return {
    listen: { rpc: listen, admin: '127.0.0.1:0' },
    networks: { main: { kind: 'evm', chainId: chain.chainId, verify, upstreams } },
    projects: [{ name: 'rig', keys: [{ key }] }],
  }
}

/** Starts the proxy from source, with SQLite as its store. */
export async function startGateway({ chain, verify, folder }: GatewayOptions): Promise<Gateway> {
  const [port] = (await freePorts(1)) as [number]
  const at = `127.0.0.1:${port}`
  const file = join(folder, 'wayleave.json')
  const store = { sqlite: join(folder, 'wayleave.sqlite') }
  await writeFile(file, JSON.stringify({ ...configOf({ chain, verify }, at), store }))
  const gateway = new NodeProcess({
    name: 'gateway',
    url: `http://${at}${paths.http}`,
    ws: `ws://${at}${paths.ws}`,
    command: process.execPath,
    args: ['--conditions=@wayleave/source', program, file],
    logFile: join(folder, 'gateway.log'),
  })
  await gateway.start()
  return Object.assign(gateway, {
    async restart(downMs: number) {
      const { pid } = gateway
      const until = performance.now() + stopWithinMs
      if (pid !== undefined)
        for (let signal: 'SIGTERM' | 0 = 'SIGTERM'; isSent(pid, signal); signal = 0) {
          if (performance.now() > until)
            throw new Error(`the gateway did not end within ${stopWithinMs / 1_000} s of SIGTERM`)
          await sleep(50)
        }
      await sleep(downMs)
      await gateway.start()
    },
  })
}

/** Whether there is a process to send a signal to; 0: sends none. */
function isSent(pid: number, signal: 'SIGTERM' | 0): boolean {
  try {
    return process.kill(pid, signal)
  } catch {
    return false
  }
}
