import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { askNode } from '../../two-nodes/nodes/ask-node.ts'
import { freePorts } from '../../two-nodes/nodes/free-ports.ts'
import type { GatewayOptions, Product } from './gateway.ts'
import { readText, sumOf } from './metrics.ts'

/** The version that `--erpc` is meant to name. */
export const erpcVersion = '0.0.63'

const startWithinMs = 30_000

/**
 * Failsafe policies of its documentation: timeouts, the recommended hedge and the circuit breaker of docs/pages/config/failsafe.mdx, the
 * retries of "Full config example" in docs/pages/config/example.mdx. The breaker that the latter has at the network is refused by the program.
 */
const networkFailsafe = {
  matchMethod: '*',
  timeout: { duration: '30s' },
  retry: { maxAttempts: 3, delay: '0ms' },
  hedge: { quantile: 0.99, minDelay: '100ms', maxDelay: '2s', maxCount: 1 },
}
const upstreamFailsafe = {
  matchMethod: '*',
  timeout: { duration: '15s' },
  retry: { maxAttempts: 2, delay: '500ms', backoffMaxDelay: '3s', backoffFactor: 1.2, jitter: '0ms' },
  circuitBreaker: {
    failureThresholdCount: 160,
    failureThresholdCapacity: 200,
    halfOpenAfter: '60s',
    successThresholdCount: 8,
    successThresholdCapacity: 10,
  },
}

/** The memory connector and the four policies that docs/pages/config/database/evm-json-rpc-cache.mdx begins its example with. */
const database = {
  evmJsonRpcCache: {
    connectors: [{ id: 'memory-cache', driver: 'memory', memory: { maxItems: 100_000 } }],
    policies: (
      [
        ['realtime', 'ignore', '2s'],
        ['unfinalized', 'ignore', '10s'],
        ['unknown', 'ignore', 0],
        ['finalized', 'allow', 0],
      ] as const
    ).map(([finality, empty, ttl]) => ({
      network: '*',
      method: '*',
      finality,
      empty,
      connector: 'memory-cache',
      ttl,
    })),
  },
}

function configOf({ chainId, upstreams, cache = false }: GatewayOptions, port: number, metricsPort: number): object {
  const evm = { chainId }
  return {
    logLevel: 'warn',
    server: { listenV4: true, httpHostV4: '127.0.0.1', httpPortV4: port },
    metrics: { enabled: true, listenV4: true, hostV4: '127.0.0.1', port: metricsPort },
    ...(cache && { database }),
    projects: [
      {
        id: 'main',
        networks: [{ architecture: 'evm', evm, failsafe: [networkFailsafe] }],
        upstreams: upstreams.map(({ name, url, tier }) => ({
          id: name,
          endpoint: url,
          evm,
          failsafe: [upstreamFailsafe],
          ...(tier === 'fallback' && { group: 'fallback' }),
        })),
      },
    ],
  }
}

/** eRPC, by its program. JSON is YAML, so its configuration is written as JSON. */
export function erpc(program: string): Product {
  return {
    name: 'eRPC',
    verifies: false,
    async start(options) {
      const [port, metricsPort] = (await freePorts(2)) as [number, number]
      const folder = await mkdtemp(join(tmpdir(), 'pool-bars-'))
      const file = join(folder, 'erpc.yaml')
      await writeFile(file, JSON.stringify(configOf(options, port, metricsPort)))
      const child = spawn(program, [file], { stdio: ['ignore', 'pipe', 'pipe'] })
      let written = ''
      for (const stream of [child.stdout, child.stderr]) {
        stream.setEncoding('utf8').on('data', (text: string) => (written = (written + text).slice(-2_000)))
      }
      const exited = once(child, 'exit')
      exited.catch(() => {})
      const url = `http://127.0.0.1:${port}/main/evm/${options.chainId}`
      const metrics = (): Promise<string> => readText(`http://127.0.0.1:${metricsPort}/metrics`)
      const close = async (): Promise<void> => {
        if (child.kill('SIGKILL')) await exited
        await rm(folder, { recursive: true, force: true })
      }
      const until = performance.now() + startWithinMs
      for (;;) {
        try {
          await askNode(url, 'eth_chainId')
          break
        } catch (cause) {
          if (child.exitCode !== null || child.pid === undefined || performance.now() > until) {
            await close()
            throw new Error(`eRPC did not start: ${written}`, { cause })
          }
        }
        await sleep(50)
      }
      return {
        pid: child.pid!,
        url,
        healthUrl: `http://127.0.0.1:${port}/healthcheck`,
        upstreamHeader: 'X-ERPC-Upstream',
        sent: async (upstream) =>
          sumOf(await metrics(), 'erpc_upstream_request_total', { upstream, category: 'eth_getBalance' }),
        openBreakers: async () => undefined,
        out: async () => undefined,
        [Symbol.asyncDispose]: close,
      }
    },
  }
}
