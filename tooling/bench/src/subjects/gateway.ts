import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { BenchError } from '../error.ts'
import { startCommand } from './child.ts'
import type { Subject, SubjectKind, SubjectOptions, Suite } from './subject.ts'
import { createTemporaryFolder } from './temporary-folder.ts'

const own = fileURLToPath(new URL('../../../../', import.meta.url))
const key = '00112233445566778899aabbccddeeff'

export interface GatewayKindOptions {
  readonly name: string
  /** A checkout that was built. Default: this one. */
  readonly root?: string
  /** Processes that serve, where the command has `--workers`. Default: it is not told. */
  readonly workers?: number
  /** Without accounts of a store and without a cache. Default: with both. */
  readonly isPlain?: boolean
}

/** The gateway as an operator runs it: `wayleave serve` with one network, one upstream, one project. */
export function gatewayKind(options: GatewayKindOptions): SubjectKind {
  const { name, root = own, workers, isPlain = false } = options
  const cli = join(root, 'apps/cli')
  return {
    name,
    caches: !isPlain,
    missing() {
      if (!existsSync(join(cli, 'dist/main.js'))) return `${name}: apps/cli is not built`
      if (workers === undefined || knowsWorkers(cli)) return undefined
      return `${name}: this wayleave serve has no --workers`
    },
    start: (given) => start(options, cli, given),
  }
}

/** A gateway that runs. */
export interface GatewaySubject extends Subject {
  readonly pid: number
  /** `http://host:port` of its admin listener. */
  readonly admin: string
}

/** Starts this checkout's with worker processes; 1: without. */
export function startGateway(
  name: string,
  options: Omit<SubjectOptions, 'suite'>,
  workers: number,
): Promise<GatewaySubject> {
  return start({ name, workers }, join(own, 'apps/cli'), { ...options, suite: 'small' })
}

export const gateway: SubjectKind = gatewayKind({ name: 'gateway' })

function knowsWorkers(cli: string): boolean {
  const { stdout } = spawnSync(process.execPath, [join(cli, 'dist/main.js'), 'serve', '--help'], {
    encoding: 'utf8',
  })
  return stdout.includes('--workers')
}

async function start(
  { name, workers, isPlain = false }: GatewayKindOptions,
  cli: string,
  { upstreamPort, suite, clock }: SubjectOptions,
): Promise<GatewaySubject> {
  const folder = createTemporaryFolder('gateway')
  const config = join(folder.path, 'config.json')
  const described = describeConfig(folder.path, upstreamsOf(upstreamPort, suite), isPlain)
  await writeFile(config, JSON.stringify(described))
  const args = [join(cli, 'dist/main.js'), 'serve', '--config', config, '--json']
  if (workers !== undefined) args.push('--workers', String(workers))
  const { child, value: ready } = await startCommand<Ready>(clock, process.execPath, args, (started, resolve) => {
    createInterface(started.stdout!).on('line', (line) => {
      const reported = readReady(line)
      if (reported !== undefined) resolve(reported)
    })
  })
  let maxBodyBytes = 4_000_000
  return {
    name,
    pid: child.pid,
    admin: ready.admin,
    async reload() {
      await writeFile(config, JSON.stringify({ ...described, limits: { maxBodyBytes: ++maxBodyBytes } }))
      const { status } = await fetch(`${ready.admin}/reload`, { method: 'POST' })
      if (status !== 200) throw new BenchError('subject', `${name} answered ${status} to a reload`)
    },
    target: { port: Number(new URL(ready.rpc).port), path: `/v3/${key}`, webSocketPath: `/ws/v3/${key}` },
    async [Symbol.asyncDispose]() {
      await child.close()
      folder.close()
    },
  }
}

/** A node that pushes heads, where there are callers for them. */
function upstreamsOf(port: number, suite: Suite): readonly unknown[] {
  const url = `http://127.0.0.1:${port}`
  return [suite === 'subscribers' ? { name: 'node', url, ws: `ws://127.0.0.1:${port}` } : url]
}

function describeConfig(folder: string, upstreams: readonly unknown[], isPlain: boolean): object {
  return {
    ...(isPlain ? { store: 'memory', cache: false } : { dataDir: join(folder, 'data') }),
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    defaultNetwork: 'bench',
    networks: { bench: { kind: 'evm', chainId: 1, upstreams } },
    projects: [{ name: 'bench', keys: [{ key, secret: 'ffeeddccbbaa99887766554433221100' }] }],
  }
}

/** The addresses of a ready line. */
interface Ready {
  readonly rpc: string
  readonly admin: string
}

/** Reads a ready line; undefined for any other line. */
function readReady(line: string): Ready | undefined {
  try {
    const reported = JSON.parse(line) as Partial<Ready> & { readonly event?: unknown }
    return reported.event === 'ready' && typeof reported.rpc === 'string' ? (reported as Ready) : undefined
  } catch {
    return undefined
  }
}
