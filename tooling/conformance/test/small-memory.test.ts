// One network without IPFS in 256 MB, in a control group of that size where this user may make one.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, rmdir, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished } from 'vitest'
import { startStandIn } from '../reload/node.ts'
import { openSocket } from './support/socket.ts'
import { key } from './support/gateway.ts'

const limit = 256 * 2 ** 20
const program = fileURLToPath(new URL('../../../apps/proxy/src/main.ts', import.meta.url))

/** Makes a control group of `limit` bytes; undefined where that is not allowed. Resolves with the file of its processes. */
async function controlGroup(): Promise<string | undefined> {
  const isOld = existsSync('/sys/fs/cgroup/memory')
  const folder = join(isOld ? '/sys/fs/cgroup/memory' : '/sys/fs/cgroup', `wayleave-${process.pid}`)
  try {
    await mkdir(folder)
  } catch {
    return undefined
  }
  onTestFinished(() => rmdir(folder))
  try {
    await writeFile(join(folder, isOld ? 'memory.limit_in_bytes' : 'memory.max'), String(limit))
    return join(folder, 'cgroup.procs')
  } catch {
    return undefined
  }
}

it.skipIf(process.platform !== 'linux')(
  'a gateway with one network and 200 sockets answers 10,000 calls in 256 MB',
  { timeout: 120_000 },
  async () => {
    await using node = await startStandIn()
    const folder = await mkdtemp(join(tmpdir(), 'small-memory-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const config = {
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      dataDir: join(folder, 'data'),
      networks: { main: { kind: 'evm', chainId: 1, upstreams: [{ url: node.url, ws: node.ws }] } },
      projects: [{ name: 'small', keys: [{ key }] }],
    }
    await writeFile(join(folder, 'wayleave.json'), JSON.stringify(config))
    const group = await controlGroup()
    const enter = group === undefined ? '' : `echo $$ > ${group}; `
    const command = `${enter}exec "$0" --conditions=@wayleave/source "$@"`
    const child = spawn('bash', ['-c', command, process.execPath, program, join(folder, 'wayleave.json'), '--json'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const exited = once(child, 'exit')
    onTestFinished(async () => {
      child.kill('SIGKILL')
      await exited
    })
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const { rpc, ws } = JSON.parse(line) as { rpc: string; ws: string }
    const sockets = await Promise.all(Array.from({ length: 200 }, () => openSocket(`${ws}/ws/v3/${key}`)))
    let right = 0
    const caller = async (first: number): Promise<void> => {
      for (let i = first; i < 10_000; i += 20) {
        const account = `0x${i.toString(16).padStart(40, '0')}`
        const body = JSON.stringify({ jsonrpc: '2.0', id: i, method: 'eth_getBalance', params: [account, 'latest'] })
        const answer = await (await fetch(`${rpc}/v3/${key}`, { method: 'POST', body })).text()
        if (answer === `{"jsonrpc":"2.0","id":${i},"result":"0x1"}`) right++
      }
    }
    await Promise.all(Array.from({ length: 20 }, (_, i) => caller(i)))
    expect(right).toBe(10_000)
    expect(child.exitCode ?? child.signalCode).toBe(null)
    if (group !== undefined) {
      const flags = await readFile(`/proc/${child.pid}/cmdline`, 'utf8')
      expect(flags).toContain('--max-old-space-size=128')
    }
    const status = await readFile(`/proc/${child.pid}/status`, 'utf8')
    const peak = Number(/^VmHWM:\s+(\d+) kB/m.exec(status)![1]) * 1024
    // Peaks count pages of files, too, which a control group gives back first.
    expect(peak).toBeLessThan(limit)
    for (const socket of sockets) await socket[Symbol.asyncDispose]()
  },
)
