import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestChain } from './nodes/chain.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../vitest.bundle.ts'

/** A gateway in front of nodes. */
export interface Gateway extends AsyncDisposable {
  /** Addresses of JSON-RPC, with the key. */
  readonly url: string
  readonly ws: string
  readonly admin: string
  /** Whether it still runs. */
  readonly alive: () => boolean
  /** Closes it; false where its process does not end by itself in that time, in ms. */
  readonly close: (withinMs: number) => Promise<boolean>
}

export interface GatewayOptions {
  readonly chain: Pick<TestChain, 'chainId' | 'nodes'>
  readonly verify: string
  /** Upstreams that are sent each transaction (1). */
  readonly broadcast?: number
  /** Members of the configuration's `limits`. */
  readonly limits?: Readonly<Record<string, number>>
  /** The file to which its log is appended. */
  readonly logFile: string
}

const key = '2b0de5002b0de5002b0de5002b0de500'
const { gatewayProcess: program } = await bundlePrograms()

/** Starts a gateway from source, each node an upstream with a WebSocket. Its callers are told which one answered. */
export async function startGateway({ chain, verify, broadcast, limits, logFile }: GatewayOptions): Promise<Gateway> {
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    ...(limits === undefined ? {} : { limits }),
    networks: {
      main: {
        kind: 'evm',
        chainId: chain.chainId,
        verify,
        ...(broadcast !== undefined && { broadcast }),
        upstreams: chain.nodes.map(({ name, url, ws }) => ({ name, url, ws })),
      },
    },
    projects: [{ name: 'rig', keys: [{ key }], showUpstream: true }],
  }
  const args = ['--conditions=@wayleave/source', program, JSON.stringify(config)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'pipe'] })
  const log = createWriteStream(logFile, { flags: 'a' })
  let written = ''
  child.stdin.on('error', () => {})
  child.stderr.on('data', (bytes: Buffer) => {
    log.write(bytes)
    written = (written + String(bytes)).slice(-2_000)
  })
  const exited = once(child, 'exit')
  const ready = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited])
  if (typeof ready[0] !== 'string') throw new Error(`the gateway did not start: ${written}`)
  const { rpc, ws, admin } = JSON.parse(ready[0]) as Record<'rpc' | 'ws' | 'admin', string>
  return {
    url: `${rpc}/v3/${key}`,
    ws: `${ws}/ws/v3/${key}`,
    admin,
    alive: () => child.exitCode === null && child.signalCode === null,
    async close(withinMs) {
      child.stdin.write('.')
      const timer = new AbortController()
      const late = sleep(withinMs, undefined, { signal: timer.signal }).catch(() => {})
      await Promise.race([exited, late])
      timer.abort()
      return child.exitCode === 0
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill('SIGKILL')
        await exited
      }
      await new Promise((resolve) => log.end(resolve))
    },
  }
}
