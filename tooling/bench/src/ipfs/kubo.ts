import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { accessSync, constants } from 'node:fs'
import { BenchError } from '../error.ts'

/** Runs a Kubo with its own repository, on free ports, offline. */
export interface Kubo extends AsyncDisposable {
  readonly pid: number
  readonly url: string
}

/** Finds the Kubo that the variable `KUBO` names. */
export function findKubo(): { readonly path: string } | { readonly missing: string } {
  const path = process.env['KUBO']
  if (path === undefined) return { missing: 'KUBO does not say where it is' }
  try {
    accessSync(path, constants.X_OK)
    return { path }
  } catch {
    return { missing: 'KUBO names no program' }
  }
}

export function kuboVersion(path: string): string {
  return execFileSync(path, ['version', '--number'], { encoding: 'utf8' }).trim()
}

/** Sets it up as `ipfs init` does: flatfs. `isSynced`: it syncs each block, which is off by default. */
export async function startKubo(path: string, folder: string, isSynced = false): Promise<Kubo> {
  const env = { ...process.env, IPFS_PATH: folder }
  const setUp = (...args: string[]): void => void execFileSync(path, args, { env, stdio: 'ignore' })
  setUp('init', '--profile=test', '--empty-repo')
  setUp('config', 'Addresses.API', '/ip4/127.0.0.1/tcp/0')
  setUp('config', 'Addresses.Gateway', '/ip4/127.0.0.1/tcp/0')
  if (isSynced) await syncBlocks(join(folder, 'config'))
  const daemon = spawn(path, ['daemon', '--offline'], { env, stdio: ['ignore', 'pipe', 'ignore'] })
  return {
    pid: daemon.pid!,
    url: await urlOf(daemon),
    async [Symbol.asyncDispose]() {
      const exit = once(daemon, 'exit')
      daemon.kill('SIGTERM')
      await exit
    },
  }
}

async function syncBlocks(file: string): Promise<void> {
  const text = await readFile(file, 'utf8')
  const synced = text.replaceAll(/"sync": false/g, '"sync": true')
  if (synced === text) throw new BenchError('subject', 'expected a Kubo whose datastore does not sync by default')
  await writeFile(file, synced)
}

async function urlOf(daemon: ChildProcess): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  let said = ''
  daemon.stdout!.setEncoding('utf8').on('data', (text: string) => {
    said += text
    const port = /RPC API server listening on \/ip4\/127\.0\.0\.1\/tcp\/(\d+)/.exec(said)?.[1]
    if (port !== undefined && said.includes('Daemon is ready')) resolve(`http://127.0.0.1:${port}`)
  })
  daemon.once('exit', () => reject(new BenchError('subject', `Kubo ended: ${said}`)))
  return promise
}
