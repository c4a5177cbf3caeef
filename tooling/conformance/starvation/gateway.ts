import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { jwtKey } from './attack/slow-tokens.ts'
import type { Surroundings } from './family.ts'

/** A project of the gateway, as its caller knows it. */
export interface Credentials {
  readonly key: string
  readonly secret: string
}

export const attackerProject: Credentials = { key: 'a77ac4e7a77ac4e7a77ac4e7a77ac4e7', secret: 'attacker' }
export const goodProject: Credentials = { key: '900d900d900d900d900d900d900d900d', secret: 'good' }

/** A gateway in a process of its own. */
export interface Gateway extends AsyncDisposable {
  readonly pid: number
  readonly rpc: string
  readonly ws: string
  readonly ipfs: string
  readonly admin: string
  readonly alive: () => boolean
  /** The end of what it wrote to stderr. */
  readonly written: () => string
}

export interface GatewayOptions {
  /** The URLs of the nodes of both networks; a network's name is appended. */
  readonly upstreams: readonly string[]
  readonly limits?: Readonly<Record<string, number>> | undefined
  /** The file to which stderr is appended, where it is read. Default: none. */
  readonly logFile?: string | undefined
  readonly surroundings?: Surroundings | undefined
}

const main = fileURLToPath(import.meta.resolve('../../../apps/proxy/src/main.ts'))
const unshare = 'unshare'
/** Runs a command with a file system in memory over its folder; both end together. */
const ownFileSystem = 'mount -t tmpfs -o size="$SIZE" tmpfs "$DIR" && exec "$@"'

/** Longest time to start, in ms. */
const startWithinMs = 60_000

/** Thrown where the machine does not allow the surroundings of a family. */
export class Unavailable extends Error {
  override readonly name = 'Unavailable'
}

/** Starts the proxy from source: two networks on the same nodes, two projects, IPFS and a store on the disk. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const { upstreams, limits, logFile, surroundings = {} } = options
  const { stalledStderr = false, diskMegabytes } = surroundings
  const folder = await mkdtemp(join(tmpdir(), 'starvation-'))
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const network = (name: string, chainId: number): object => ({
    kind: 'evm',
    chainId,
    upstreams: upstreams.map((url) => `${url}/${name}`),
  })
  const config = {
    dataDir,
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ipfs: '127.0.0.1:0' },
    networks: { one: network('one', 1), two: network('two', 2) },
    projects: [
      { name: 'attacker', keys: [attackerProject], jwt: { keys: [jwtKey()] } },
      { name: 'good', keys: [goodProject] },
    ],
    ipfs: { backend: 'local' },
    ...(limits === undefined ? {} : { limits }),
  }
  const file = join(folder, 'wayleave.json')
  await writeFile(file, JSON.stringify(config))
  const args = ['--conditions=@wayleave/source', main, file, '--json']
  const child =
    diskMegabytes === undefined
      ? spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'], env: {} })
      : spawn(unshare, ['-rm', 'sh', '-c', ownFileSystem, 'sh', process.execPath, ...args], {
          stdio: ['ignore', 'pipe', 'pipe'],
          env: { PATH: process.env['PATH'], SIZE: `${diskMegabytes}m`, DIR: dataDir },
        })
  const exited = once(child, 'exit')
  exited.catch(() => {})
  const end = (): void => void child.kill('SIGKILL')
  process.once('exit', end)
  child.once('exit', () => process.off('exit', end))
  let written = ''
  const readStderr = (): void => {
    child.stderr!.setEncoding('utf8').on('data', (text: string) => (written = (written + text).slice(-10_000)))
    if (logFile !== undefined) child.stderr!.pipe(createWriteStream(logFile, { flags: 'a' }))
  }
  if (!stalledStderr) readStderr()
  const late = setTimeout(() => child.kill('SIGKILL'), startWithinMs)
  try {
    const { rpc, ws, ipfs, admin } = await ready(child).finally(() => clearTimeout(late))
    return {
      pid: child.pid!,
      rpc,
      ws,
      ipfs,
      admin,
      alive: () => child.exitCode === null && child.signalCode === null,
      written: () => written,
      async [Symbol.asyncDispose]() {
        child.kill('SIGKILL')
        await exited
        await rm(folder, { recursive: true, force: true })
      },
    }
  } catch (cause) {
    child.kill('SIGKILL')
    if (stalledStderr) readStderr()
    await rm(folder, { recursive: true, force: true })
    if (diskMegabytes !== undefined) throw new Unavailable(`no file system of its own: ${written.trim()}`, { cause })
    throw new Error(`the gateway did not start: ${written}`, { cause })
  }
}

async function ready(child: ChildProcess): Promise<Record<'rpc' | 'ws' | 'ipfs' | 'admin', string>> {
  let text = ''
  for await (const chunk of child.stdout!.setEncoding('utf8')) {
    text += chunk as string
    if (text.includes('\n')) return JSON.parse(text.slice(0, text.indexOf('\n'))) as ReturnType<typeof JSON.parse>
  }
  throw new Error('its stdout ended')
}
