import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url))

interface Run {
  readonly child: ReturnType<typeof spawn>
  readonly stdout: () => string
  readonly stderr: () => string
  readonly exited: Promise<number | null>
}

function run(args: readonly string[], ipc = false): Run {
  const child = spawn(process.execPath, ['--conditions=@wayleave/source', main, ...args], {
    stdio: ['ignore', 'pipe', 'pipe', ...(ipc ? ['ipc' as const] : [])],
  })
  let stdout = ''
  let stderr = ''
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  child.stderr!.setEncoding('utf8').on('data', (text: string) => (stderr += text))
  // A channel that this side closes keeps 'close' from coming.
  const exited = once(child, ipc ? 'exit' : 'close').then(([code]) => code as number | null)
  onTestFinished(async () => {
    child.kill('SIGKILL')
    await exited
  })
  return { child, stdout: () => stdout, stderr: () => stderr, exited }
}

async function configFile(rpc = '127.0.0.1:0'): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-proxy-test-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'config.yaml')
  const listen = `listen: { rpc: '${rpc}', admin: '127.0.0.1:0' }`
  await writeFile(path, `${listen}\nnetworks:\n  one: { kind: evm, chainId: 1, upstreams: ['http://127.0.0.1:9'] }\n`)
  return path
}

describe('wayleave-proxy', () => {
  it.each([[[]], [['--nonsense', 'a.yaml']], [['a.yaml', 'b.yaml']]])(
    'prints its usage on stderr for %j and exits 2',
    async (args) => {
      const { exited, stdout, stderr } = run(args)
      expect(await exited).toBe(2)
      expect({ stdout: stdout(), stderr: stderr() }).toEqual({
        stdout: '',
        stderr: 'usage: wayleave-proxy CONFIG [--json]\n',
      })
    },
  )

  it('prints its usage on stdout when asked', async () => {
    const { exited, stdout } = run(['--help'])
    expect(await exited).toBe(0)
    expect(stdout()).toBe('usage: wayleave-proxy CONFIG [--json]\n')
  })

  it('serves with its flag on either side, and exits 0 on SIGTERM', async () => {
    const file = await configFile()
    for (const args of [
      ['--json', file],
      [file, '--json'],
    ]) {
      const { child, exited, stdout } = run(args)
      await expect.poll(stdout).toMatch(/^\{"event":"ready".*\}\n$/)
      if (process.platform === 'linux')
        expect(await readFile(`/proc/${child.pid}/environ`, 'utf8')).toContain('MALLOC_MMAP_THRESHOLD_=131072')
      child.kill('SIGTERM')
      expect(await exited).toBe(0)
    }
  })

  it('goes on serving when who reads its output has left', async () => {
    const free = createServer().listen(0, '127.0.0.1')
    await once(free, 'listening')
    const rpc = `127.0.0.1:${(free.address() as AddressInfo).port}`
    await new Promise((resolve) => free.close(resolve))
    const { child, exited } = run([await configFile(rpc), '--json'])
    child.stdout!.destroy()
    const status = (): Promise<number> =>
      fetch(`http://${rpc}/healthz`).then(
        (response) => response.status,
        () => 0,
      )
    await expect.poll(status).toBe(200)
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })

  it('ends when the process that launched it has gone', async () => {
    const { child, exited, stdout } = run([await configFile(), '--json'], true)
    await expect.poll(stdout).toMatch(/\n$/)
    child.disconnect()
    expect(await exited).toBe(0)
  })

  it('ends on SIGTERM though its launcher still holds the channel', async () => {
    const { child, exited, stdout } = run([await configFile(), '--json'], true)
    await expect.poll(stdout).toMatch(/\n$/)
    child.kill('SIGTERM')
    expect(await exited).toBe(0)
  })
})
