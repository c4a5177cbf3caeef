// `pnpm --filter @wayleave/conformance first-answer [ROUNDS]` measures how long a node at home takes to its first answer through
// `wayleave serve --upstream`: over anvil, and over `geth --dev`. Exits with 1 where geth is not on the PATH, as the bar is geth's. It needs
// a build.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startAnvil } from '@wayleave/dev-node'
import { freePorts } from '../two-nodes/nodes/free-ports.ts'

/** The bar, in ms. */
const most = 2_000
const command = fileURLToPath(new URL('../../../apps/cli/bin/wayleave.js', import.meta.url))
const rounds = Number(process.argv[2] ?? 5)

interface Node {
  readonly name: string
  readonly url: string
  close(): Promise<void>
}

async function startGeth(folder: string): Promise<Node | undefined> {
  const port = (await freePorts(1))[0]!
  const flags = ['--dev', '--datadir', folder, '--ipcdisable', '--port', '0', '--authrpc.port', '0']
  const child = spawn('geth', [...flags, '--http', '--http.port', String(port)], { stdio: 'ignore' })
  const failed = once(child, 'error').then(() => true)
  const url = `http://127.0.0.1:${port}`
  for (const end = performance.now() + 60_000; performance.now() < end;) {
    if (await Promise.race([failed, sleep(100, false)])) return undefined
    if ((await ask(url).catch(() => undefined)) !== undefined)
      return { name: 'geth --dev', url, close: () => stop(child) }
  }
  await stop(child)
  throw new Error('geth did not answer within a minute')
}

async function stop(child: ChildProcess): Promise<void> {
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}

async function ask(url: string): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] })
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result } = (await answer.json()) as { readonly result?: unknown }
  if (typeof result !== 'string') throw new Error(`HTTP ${answer.status} without a result`)
  return result
}

/** Runs the one command; the ms to its ready line and to the first answer. */
async function measure(upstream: string): Promise<readonly [ready: number, answered: number]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-first-answer-'))
  const began = performance.now()
  const flags = ['--upstream', upstream, '--port', '0', '--admin-port', '0', '--data-dir', dataDir, '--json']
  const child = spawn(process.execPath, [command, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'inherit'] })
  try {
    const [line] = (await once(createInterface(child.stdout), 'line')) as [string]
    const ready = performance.now() - began
    const { rpc, apiKey } = JSON.parse(line) as { readonly rpc: string; readonly apiKey: string }
    await ask(`${rpc}/v3/${apiKey}`)
    return [ready, performance.now() - began]
  } finally {
    await stop(child)
    await rm(dataDir, { recursive: true, force: true })
  }
}

const folder = await mkdtemp(join(tmpdir(), 'wayleave-first-answer-geth-'))
const anvil = await startAnvil({ name: 'home', chainId: 1337 })
const geth = await startGeth(folder)
const nodes: readonly Node[] = [
  { name: 'anvil', url: anvil.httpUrl, close: () => anvil.close() },
  ...(geth === undefined ? [] : [geth]),
]
if (geth === undefined) {
  console.log('geth --dev: not measured, as geth is not on the PATH')
  process.exitCode = 1
}
try {
  for (const { name, url } of nodes) {
    const times: (readonly [number, number])[] = []
    for (let i = 0; i < rounds; i++) times.push(await measure(url))
    const worst = Math.max(...times.map(([, answered]) => answered))
    const shown = times.map(([ready, answered]) => `${ready.toFixed(0)}/${answered.toFixed(0)}`).join(' ')
    console.log(
      `${name}: ready/answered in ms: ${shown}; worst ${worst.toFixed(0)}, bar ${most}: ${worst < most ? 'met' : 'MISSED'}`,
    )
    if (worst >= most) process.exitCode = 1
  }
} finally {
  await Promise.all(nodes.map((node) => node.close()))
  await rm(folder, { recursive: true, force: true })
}
