import { setTimeout as sleep } from 'node:timers/promises'
import type { TestChain } from '../two-nodes/nodes/chain.ts'
import { freePorts } from '../two-nodes/nodes/free-ports.ts'
import { NodeProcess } from '../two-nodes/nodes/node-process.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../vitest.bundle.ts'

/** A gateway in a process of its own, which comes back at the same addresses. */
export interface Replica extends Pick<NodeProcess, 'name' | 'start' | 'kill'>, AsyncDisposable {
  readonly port: number
  /** Leaves an upstream alone, or no longer; resolves with what the gateway says to that. */
  cordon(what: 'cordon' | 'uncordon', upstream: string): Promise<string>
  /** Whether it leaves an upstream alone since that is cordoned. */
  hasCordoned(upstream: string): Promise<boolean>
}

export interface ReplicaOptions {
  readonly name: string
  readonly chain: Pick<TestChain, 'chainId' | 'nodes'>
  readonly redis: string
  readonly logFile: string
}

/** The path of JSON-RPC, with the key. */
const key = '2b0de5002b0de5002b0de5002b0de500'
export const paths = { http: `/v3/${key}`, ws: `/ws/v3/${key}` }
const { gatewayProcess: program } = await bundlePrograms()

/** Starts a replica from source, each node an upstream with a WebSocket. */
export async function startReplica({ name, chain, redis, logFile }: ReplicaOptions): Promise<Replica> {
  const [port, admin] = (await freePorts(2)) as [number, number]
  const config = {
    listen: { rpc: `127.0.0.1:${port}`, admin: `127.0.0.1:${admin}` },
    networks: {
      main: {
        kind: 'evm',
        chainId: chain.chainId,
        upstreams: chain.nodes.map(({ name: upstream, url, ws }) => ({ name: upstream, url, ws })),
      },
    },
    redis,
    projects: [{ name: 'rig', keys: [{ key }], showUpstream: true }],
  }
  const gateway = new NodeProcess({
    name,
    url: `http://127.0.0.1:${port}${paths.http}`,
    ws: `ws://127.0.0.1:${port}${paths.ws}`,
    command: process.execPath,
    args: ['--conditions=@wayleave/source', program, JSON.stringify(config)],
    logFile,
  })
  await gateway.start()
  const at = `http://127.0.0.1:${admin}`
  return {
    name,
    port,
    start: () => gateway.start(),
    kill: () => gateway.kill(),
    async cordon(what, upstream) {
      const answer = await fetch(`${at}/upstreams/${what}?network=main&upstream=${upstream}&why=the+rig`, {
        method: 'POST',
        signal: AbortSignal.timeout(5_000),
      })
      const text = await answer.text()
      if (!answer.ok) throw new Error(`${name} does not ${what} ${upstream}: ${text}`)
      return text.trim()
    },
    async hasCordoned(upstream) {
      const answer = await fetch(`${at}/status`, { signal: AbortSignal.timeout(5_000) })
      const { networks } = (await answer.json()) as Status
      return networks['main']!.upstreams.some((each) => each.name === upstream && each.out === 'cordoned')
    },
    [Symbol.asyncDispose]: () => gateway.kill(),
  }
}

interface Status {
  readonly networks: Readonly<
    Record<string, { readonly upstreams: readonly { readonly name: string; readonly out?: string }[] }>
  >
}

/** Resolves with the ms until all replicas leave an upstream alone, or no longer. @throws Error where that takes over ten seconds. */
export async function untilAllKnow(replicas: readonly Replica[], upstream: string, isOut: boolean): Promise<number> {
  const began = performance.now()
  async function untilKnown(replica: Replica): Promise<void> {
    while ((await replica.hasCordoned(upstream)) !== isOut) {
      if (performance.now() - began > 10_000) throw new Error(`${replica.name} was not told of ${upstream} in 10 s`)
      await sleep(10)
    }
  }

  await Promise.all(replicas.map(untilKnown))
  return performance.now() - began
}
