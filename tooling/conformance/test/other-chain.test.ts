import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { findAnvil } from '@wayleave/dev-node'
import { createLog, startGateway } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { freePorts } from '../two-nodes/nodes/free-ports.ts'

const key = '0123456789abcdef0123456789abcdef'
const hex = (number: number): string => `0x${number.toString(16)}`

async function call(url: string, method: string, params: readonly unknown[] = []) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const { result } = (await response.json()) as { readonly result?: unknown }
  return { result, cache: response.headers.get('x-wayleave-cache') }
}

/** Starts an anvil whose block 0 has a time, and has it make blocks. */
async function startChain(port: number, timestamp: number, blocks: number) {
  const args = ['--port', String(port), '--chain-id', '31337', '--timestamp', String(timestamp), '--silent']
  const child = spawn(findAnvil(), args, { stdio: 'ignore' })
  const exited = once(child, 'exit')
  onTestFinished(() => void child.kill('SIGKILL'))
  const url = `http://127.0.0.1:${port}`
  await expect.poll(() => call(url, 'eth_chainId').catch(() => undefined), { timeout: 30_000 }).toBeDefined()
  await call(url, 'anvil_mine', [hex(blocks)])
  return {
    url,
    mine: () => call(url, 'anvil_mine', ['0x1']),
    async end() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

it.each([
  ['lower', 150],
  ['equal', 200],
  ['higher', 260],
])(
  'an anvil that starts anew on its port with another block 0 is answered for, where its head is %s',
  { timeout: 120_000 },
  async (_how, blocks) => {
    const port = (await freePorts(1))[0]!
    const began = Math.floor(Date.now() / 1_000) - 10_000
    const old = await startChain(port, began, 200)
    const networks = { dev: { kind: 'evm', chainId: 31_337, upstreams: [old.url], followHeads: true } } as const
    const lines: string[] = []
    const gateway = await startGateway(
      {
        listen: { rpc: '127.0.0.1:0' },
        defaultNetwork: 'dev',
        networks,
        projects: [{ name: 'open', keys: [{ key }] }],
        cache: {},
      },
      { log: createLog({ level: 'warn', destination: { write: (line: string) => void lines.push(line) } }) },
    )
    onTestFinished(() => gateway.close(0))
    const questions = ['earliest', '0x0', '0x3'].map((at) => ['eth_getBlockByNumber', [at, false]] as const)
    const through = () => Promise.all(questions.map((question) => call(`${gateway.rpc}/v3/${key}`, ...question)))
    const direct = async () => {
      const answers = await Promise.all(questions.map((question) => call(old.url, ...question)))
      return answers.map(({ result }) => result)
    }
    const results = async () => (await through()).map(({ result }) => result)
    const before = await direct()
    await expect
      .poll(async () => (await through()).map(({ cache }) => cache), { timeout: 30_000 })
      .toEqual(['hit', 'hit', 'hit'])
    expect(await results()).toEqual(before)

    await old.end()
    const next = await startChain(port, began + 1_000, blocks)
    const after = await direct()
    expect(after[2]).not.toEqual(before[2])
    await expect.poll(results, { timeout: 5_000 }).toEqual(after)
    for (let i = 0; i < 5; i++) {
      await next.mine()
      expect(await results()).toEqual(after)
    }
    expect(lines.filter((line) => line.includes('final blocks of the chain were replaced'))).toHaveLength(1)
  },
)
