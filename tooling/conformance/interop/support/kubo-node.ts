import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../src/peers/peer.ts'

/** A Kubo of its own, on free ports, that talks to nobody. */
export interface KuboNode extends AsyncDisposable {
  /** Of its RPC. */
  readonly url: string
  /** Of its trustless gateway. */
  readonly gateway: string
  /** Ends it as a loss of power would. */
  kill(): Promise<void>
}

/** Starts a Kubo. `profile`: one of its configuration beside `test`. */
export async function startKubo(program: string, profile?: string): Promise<KuboNode> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-kubo-'))
  const env = { IPFS_PATH: folder }
  await run(program, ['init', `--profile=${['test', profile].filter(Boolean).join(',')}`, '--empty-repo'], { env })
  await run(program, ['config', 'Addresses.API', '/ip4/127.0.0.1/tcp/0'], { env })
  await run(program, ['config', 'Addresses.Gateway', '/ip4/127.0.0.1/tcp/0'], { env })
  const daemon = spawn(program, ['daemon', '--offline'], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const ended = once(daemon, 'close')
  const [url, gateway] = await new Promise<readonly [string, string]>((resolve, reject) => {
    let said = ''
    daemon.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      const urlOf = (what: string): string =>
        `http://127.0.0.1:${new RegExp(`${what} server listening on /ip4/127\\.0\\.0\\.1/tcp/(\\d+)`).exec(said)?.[1]}`
      if (said.includes('Daemon is ready')) resolve([urlOf('RPC API'), urlOf('Gateway')])
    })
    void ended.then(() => reject(new Error(`Kubo ended: ${said}`)))
  })
  return {
    url,
    gateway,
    async kill() {
      daemon.kill('SIGKILL')
      await ended
    },
    async [Symbol.asyncDispose]() {
      daemon.kill('SIGTERM')
      await ended
      await rm(folder, { recursive: true, force: true })
    },
  }
}
