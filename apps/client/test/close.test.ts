import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { startDevNode } from '@wayleave/dev-node'
import { describe, expect, it } from 'vitest'

const source = new URL('../src/index.ts', import.meta.url).href

/** Runs a program that has `client` in a Node of its own, and gives what it prints. It must end by itself. */
async function run(url: string, program: string): Promise<string> {
  const code = `import { createClient } from ${JSON.stringify(source)}
    const client = createClient({ url: ${JSON.stringify(url)} })
    ${program}`
  const args = ['--conditions=@wayleave/source', '--input-type=module', '--eval', code]
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: 40_000 })
  return stdout
}

describe('a program that uses a client', () => {
  it('ends after close() though it has called and subscribed over WebSocket', async () => {
    await using node = await startDevNode()
    const program = `console.log(await client.request('eth_chainId', []))
      await client.subscribe(['newHeads'], { onEvent() {} })
      await client.close()`
    expect(await run(node.networks.dev.wsUrl, program)).toBe('0x7a69\n')
  })

  it('ends without close() where it has called over HTTP only', async () => {
    await using node = await startDevNode()
    expect(await run(node.networks.dev.httpUrl, `console.log(await client.request('eth_chainId', []))`)).toBe(
      '0x7a69\n',
    )
  })

  it('ends where it has called nothing', async () => {
    expect(await run('ws://127.0.0.1:9/', `console.log('made')`)).toBe('made\n')
  })
})
