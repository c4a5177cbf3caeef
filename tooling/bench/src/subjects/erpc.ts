import { type ChildProcess, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchClock } from '../defaults.ts'
import { awaitPort } from './await-port.ts'
import { startCommand } from './child.ts'
import { freePort } from './free-port.ts'
import type { Subject, SubjectKind, SubjectOptions } from './subject.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

/** The version that the variable `ERPC` is meant to name: https://github.com/erpc/erpc, Go. */
export const erpcVersion = '0.1.2'

/** The memory connector and the four policies with which its docs/pages/config/database/evm-json-rpc-cache.mdx begins its example. */
export const erpcMemoryCache = {
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

/** eRPC in a minimal configuration: one project, network and upstream; with its cache where that is measured. */
export function erpc(program: string | undefined): SubjectKind {
  return {
    name: 'eRPC',
    suites: ['small', 'cached', 'batch', 'large', 'mix'],
    onlyThere: `version ${erpcVersion} serves no WebSockets`,
    caches: true,
    missing() {
      if (program === undefined) return `eRPC: the variable ERPC names the program of eRPC ${erpcVersion}`
      const { error } = spawnSync(program, ['--version'], { encoding: 'utf8' })
      return error === undefined ? undefined : `eRPC: ${program} does not run: ${error.message}`
    },
    start: (options) => start(program!, options),
  }
}

async function start(program: string, { upstreamPort, suite, clock }: SubjectOptions): Promise<Subject> {
  const folder = createTemporaryFolder('erpc')
  const port = await freePort()
  const file = join(folder.path, 'erpc.yaml')
  // JSON is YAML.
  await writeFile(file, JSON.stringify(describeConfig(upstreamPort, port, suite === 'cached' || suite === 'mix')))
  const { child } = await startCommand<void>(clock, program, [file], (process, resolve) => {
    process.stdout?.resume()
    awaitPort(clock, process, port, () => askUntilAnswered(clock, process, port, resolve))
  })
  return {
    name: 'eRPC',
    pid: child.pid,
    target: { port, path: '/main/evm/1', webSocketPath: '' },
    async [Symbol.asyncDispose]() {
      await child.close()
      folder.close()
    },
  }
}

/** Calls `ready` once it has answered a call: it listens before it knows its upstream. */
function askUntilAnswered(clock: BenchClock, process: ChildProcess, port: number, ready: () => void): void {
  if (process.exitCode !== null) return
  const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":[]}'
  const again = (): void => void clock.after(50, () => askUntilAnswered(clock, process, port, ready))
  fetch(`http://127.0.0.1:${port}/main/evm/1`, { method: 'POST', body }).then(
    async (answer) => ((await answer.text()).includes('"result"') ? ready() : again()),
    again,
  )
}

function describeConfig(upstreamPort: number, port: number, isCached: boolean): object {
  const evm = { chainId: 1 }
  return {
    logLevel: 'error',
    server: { listenV4: true, httpHostV4: '127.0.0.1', httpPortV4: port },
    metrics: { enabled: false },
    ...(isCached && { database: erpcMemoryCache }),
    projects: [
      {
        id: 'main',
        networks: [{ architecture: 'evm', evm }],
        upstreams: [{ id: 'node', endpoint: `http://127.0.0.1:${upstreamPort}`, evm }],
      },
    ],
  }
}
