import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline/promises'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../vitest.bundle.ts'

const { cli: main } = await bundlePrograms()

/** A `wayleave dev` on free ports. */
export interface Dev {
  readonly rpc: string
  readonly ipfs: string
  stop(): Promise<void>
}

export async function startDev(): Promise<Dev> {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-first-hour-dev-'))
  const ports = ['--port', '0', '--ipfs-port', '0', '--admin-port', '0']
  const args = ['--conditions=@wayleave/source', main, 'dev', ...ports, '--data-dir', dataDir, '--json']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const closed = once(child, 'close')
  const ended = closed.then(([code]) => {
    throw new Error(`wayleave dev ended with ${code}`)
  })
  ended.catch(() => {})
  const [line] = (await Promise.race([once(createInterface(child.stdout), 'line'), ended])) as [string]
  const { rpc, ipfs } = JSON.parse(line) as Pick<Dev, 'rpc' | 'ipfs'>
  return {
    rpc,
    ipfs,
    async stop() {
      child.kill('SIGTERM')
      await closed
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
