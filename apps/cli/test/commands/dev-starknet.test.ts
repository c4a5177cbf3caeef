// The network starknet-dev of `wayleave dev`, over a node that runs already and over a devnet of its own.
import { chmod, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { findStarknetDevnet } from '@wayleave/dev-node'
import { describe, expect, it } from 'vitest'
import { call, devArgs, folder, key, processesWith, readyOf, serveNode, wayleave, within } from '../helpers.ts'

const SN_SEPOLIA = '0x534e5f5345504f4c4941'
const real = findStarknetDevnet()

describe('wayleave dev', () => {
  it('serves the node of --starknet-url as starknet-dev, and shows its accounts', async () => {
    const account = { address: '0xacc', private_key: '0xce1', public_key: '0xd', initial_balance: '1' }
    const answers: Record<string, unknown> = {
      starknet_chainId: SN_SEPOLIA,
      starknet_specVersion: '0.8.1',
      starknet_blockNumber: 7,
      starknet_blockHashAndNumber: { block_hash: '0x1', block_number: 7 },
      devnet_getPredeployedAccounts: [account],
    }
    const node = await serveNode(({ method }) => answers[method] ?? { code: -32601, message: 'no' })
    const args = devArgs(await folder(), '--starknet-url', node.url).filter((flag) => flag !== '--json')
    const dev = wayleave(args)
    expect(await within(40_000, () => dev.stdout().includes('eth_chainId'))).toBe(true)
    const [url] = /http:\S+\/rpc\/v0_9/.exec(dev.stdout())!
    expect(await call(url, 'starknet_blockNumber')).toBe(7)
    expect(dev.stdout()).toContain('chain SN_SEPOLIA')
    expect(dev.stdout()).toMatch(/account +0xacc\n +its key +0xce1\n/)
    expect(dev.stderr()).toBe('')
  })

  it('goes without a starknet-devnet that does not start, and says why', async () => {
    const path = await folder()
    const binary = join(path, 'starknet-devnet')
    await writeFile(binary, "#!/bin/sh\necho 'error: no such flag' >&2\nexit 2\n")
    await chmod(binary, 0o755)
    const dev = wayleave(devArgs(await folder()), { PATH: `${path}:${process.env['PATH']}` })
    const { rpc, networks } = await readyOf(dev)
    expect(networks).toEqual({ dev: 31337, 'rollup-dev': 901 })
    const why = 'starknet-devnet exited with status 2 before it was ready; it wrote: error: no such flag'
    expect(dev.stderr()).toBe(`wayleave dev: there is no starknet-dev: ${why}\n`)
    await expect(call(`${rpc}/starknet-dev/v3/${key}`, 'starknet_blockNumber')).rejects.toThrow(why)
  })
})

describe.skipIf(real === undefined)(
  'wayleave dev with a real starknet-devnet (skipped where none is on the PATH)',
  () => {
    it('serves it in every version, and finds its state again after it was killed', { timeout: 120_000 }, async () => {
      const dataDir = await folder()
      const env = { PATH: `${dirname(real!)}:${process.env['PATH']}` }
      const first = wayleave(devArgs(dataDir), env)
      const ready = await readyOf(first)
      expect(ready.networks).toEqual({ dev: 31337, 'rollup-dev': 901, 'starknet-dev': 'SN_SEPOLIA' })
      expect((ready as { starknetAccounts?: readonly unknown[] }).starknetAccounts).toHaveLength(10)
      expect(await (await fetch(`${ready.rpc}/readyz`)).text()).toContain('starknet-dev: ok')
      const url = `${ready.rpc}/starknet-dev/v3/${key}`
      expect(await call(url, 'starknet_chainId')).toBe(SN_SEPOLIA)
      expect(await call(url, 'starknet_specVersion')).toBe('0.5.1')
      expect(await call(`${url}/rpc/v0_8`, 'starknet_specVersion')).toMatch(/^0\.8/)
      // The node's own version has no such tag any more.
      expect(await call(url, 'starknet_getBlockTransactionCount', 'pending')).toBe(0)
      const socket = new WebSocket(`${ready.ws}/starknet-dev/ws/v3/${key}/rpc/v0_10`)
      const pushed: { readonly method?: string; readonly result?: unknown }[] = []
      socket.addEventListener('message', ({ data }) => void pushed.push(JSON.parse(String(data)) as (typeof pushed)[0]))
      socket.addEventListener('open', () =>
        socket.send('{"id":1,"jsonrpc":"2.0","method":"starknet_subscribeNewHeads"}'),
      )
      expect(await within(40_000, () => pushed.some(({ result }) => result === '1'))).toBe(true)
      await call(url, 'devnet_createBlock')
      const isHead = ({ method }: { readonly method?: string }): boolean => method === 'starknet_subscriptionNewHeads'
      expect(await within(40_000, () => pushed.some(isHead))).toBe(true)
      socket.close()
      const height = await call(url, 'starknet_blockNumber')
      first.child.kill('SIGKILL')
      await first.exited
      expect(await within(40_000, async () => (await processesWith(dataDir)).length === 0)).toBe(true)
      const second = wayleave(devArgs(dataDir), env)
      const { rpc } = await readyOf(second)
      expect(await call(`${rpc}/starknet-dev/v3/${key}`, 'starknet_blockNumber')).toBe(height)
    })
  },
)
