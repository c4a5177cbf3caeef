import { setTimeout as sleep } from 'node:timers/promises'
import { type DevNode, startDevNode } from '@wayleave/dev-node'
import type { RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { cast, followCast } from './support/cast.ts'
import { alice, bob, deployDirectly, transact } from './support/chain.ts'
import { initCode, revertReason, runtimeCode } from './support/contract.ts'
import { httpUrl, startDevGateway, wsUrl } from './support/gateway.ts'

let node: DevNode
let gateway: RunningGateway
let contract: Awaited<ReturnType<typeof deployDirectly>>

beforeAll(async () => {
  node = await startDevNode()
  gateway = await startDevGateway(node)
  contract = await deployDirectly(node.networks.dev.httpUrl)
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

const cases = [
  { transport: 'http', via: () => httpUrl(gateway), direct: () => node.networks.dev.httpUrl },
  { transport: 'WebSocket', via: () => wsUrl(gateway), direct: () => node.networks.dev.wsUrl },
]

describe.each(cases)('cast over $transport', ({ via, direct }) => {
  it('prints what it prints of the node itself', async () => {
    const commands = [
      ['chain-id'],
      ['block-number'],
      ['block', 'latest', '--full', '--json'],
      ['balance', alice.address],
      ['nonce', alice.address],
      ['code', contract.address],
      ['storage', contract.address, '0'],
      ['logs', '--from-block', '0', '--address', contract.address, '--json'],
      ['tx', contract.storedIn, '--json'],
      ['receipt', contract.storedIn, '--json'],
      ['gas-price'],
      ['call', contract.address, 'value()(uint256)'],
      ['estimate', contract.address, 'store(uint256)', '5'],
      ['rpc', 'eth_getBlockReceipts', 'latest'],
      ['block', '1000000', '--json'],
    ]
    for (const command of commands) {
      const [through, plain] = await Promise.all([cast(via(), ...command), cast(direct(), ...command)])
      expect(through, command.join(' ')).toEqual(plain)
      expect(through.status, command.join(' ')).toBe(command[1] === '1000000' ? 1 : 0)
    }
  })

  it('sends, deploys, and shows the receipt that the node has', async () => {
    const sign = ['--private-key', bob.privateKey, '--json']
    const sent = await cast(via(), 'send', contract.address, 'store(uint256)', '7', ...sign)
    expect(sent.stderr).toBe('')
    const receipt = JSON.parse(sent.stdout) as Record<string, string>
    expect(receipt['status']).toBe('0x1')
    // `cast receipt` adds the block's timestamp to what `cast send` prints.
    const read = await cast(direct(), 'receipt', receipt['transactionHash']!, '--json')
    expect(JSON.parse(read.stdout)).toMatchObject(receipt)
    expect((await cast(via(), 'call', contract.address, 'value()(uint256)')).stdout).toBe('7\n')

    const deployed = await cast(via(), 'send', ...sign, '--create', initCode)
    const { contractAddress } = JSON.parse(deployed.stdout) as Record<string, string>
    expect((await cast(direct(), 'code', contractAddress!)).stdout.trim()).toBe(runtimeCode)
  })

  it('prints the reason of a revert as it does directly', async () => {
    for (const command of ['call', 'estimate']) {
      const args = [command, contract.address, 'fail()'] as const
      const through = await cast(via(), ...args)
      expect(through).toEqual(await cast(direct(), ...args))
      expect(through.status).toBe(1)
      expect(through.stderr).toContain(revertReason)
    }
  })
})

describe('cast', () => {
  it('prints logs as they come over WebSocket as it does directly', async () => {
    const args = ['logs', '--subscribe', '--address', contract.address] as const
    await using through = followCast(wsUrl(gateway), ...args)
    await using plain = followCast(node.networks.dev.wsUrl, ...args)
    let hash = ''
    const entry = ({ output }: typeof plain): string | undefined =>
      output()
        .split('- address')
        .find((text) => text.includes(hash) && text.includes('transactionIndex'))
    // When a cast has subscribed it does not say, so logs are made until both have printed one.
    do {
      const data = `0x6057361d${'9'.padStart(64, '0')}`
      hash = (await transact(node.networks.dev.httpUrl, { to: contract.address, data }))['transactionHash']!
      await sleep(200)
    } while (entry(through) === undefined || entry(plain) === undefined)
    expect(entry(through)).toBe(entry(plain))
  })
})
