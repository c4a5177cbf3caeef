// The hint at --network: where a call went to a network of another kind, and only there.
import { describe, expect, it } from 'vitest'
import { type Config, createLog, type RunningGateway, startGateway } from '@wayleave/gateway'
import { onTestFinished } from 'vitest'
import { key, runWayleave, serveHttp, serveNode } from '../helpers.ts'

const notFound = { code: -32601, message: 'the method does not exist' }
const account = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'

/** A node that has these methods and no other. */
async function nodeWith(answers: Readonly<Record<string, unknown>>): Promise<string> {
  return (await serveNode(({ method }) => answers[method] ?? notFound)).url
}

async function gatewayOver(upstream: string, kind: 'evm' | 'starknet'): Promise<RunningGateway> {
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { here: { kind, chainId: kind === 'evm' ? 1 : 'SN_MAIN', upstreams: [upstream] } },
    projects: [{ name: 'open', keys: [{ key }] }],
  } as Config
  const gateway = await startGateway(config, {
    log: createLog({ level: 'silent' }),
    absentNetworks: { 'starknet-dev': 'starknet-devnet is not on the PATH' },
  })
  onTestFinished(() => gateway.close(0))
  return gateway
}

async function hintOf(args: readonly string[], url: string): Promise<string | undefined> {
  const { code, stderr } = await runWayleave([...args, '--rpc-url', url])
  expect(code).toBe(1)
  return /^hint: (.*)$/m.exec(stderr)?.[1]
}

describe('a method that is not found', () => {
  it.each([
    [['eth', 'balance', account], { starknet_chainId: '0x1' }, 'eth_getBalance is a method of EVM networks'],
    [['rpc', 'trace_block', 'latest'], {}, 'trace_block is a method of EVM networks'],
    [['rpc', 'starknet_blockNumber'], { eth_chainId: '0x1' }, 'starknet_blockNumber is a method of Starknet networks'],
    [
      ['starknet', 'block-number', '--spec-version', '0.8'],
      {},
      'starknet_blockNumber is a method of Starknet networks',
    ],
    [['rollup', 'get-info'], { eth_chainId: '0x1' }, 'rollup_getInfo is a method of rollups'],
  ])('%j over a node with %j is hinted at', async (args, answers, words) => {
    expect(await hintOf(args, await nodeWith(answers))).toBe(`${words}: --rpc-url names a node of one`)
  })

  it.each([
    [['eth', 'balance', account], { eth_chainId: '0x1' }],
    [['eth', 'balance', account], { eth_chainId: { code: -32000, message: 'busy' } }],
    [['rpc', 'trace_block', 'latest'], { eth_chainId: '0x1' }],
    [['rpc', 'starknet_blockNumber'], { starknet_chainId: '0x1' }],
    [['rollup', 'sync-status'], { rollup_getInfo: {} }],
    [['rpc', 'my_method'], {}],
  ])('%j over a node with %j is not: the network was right, or nobody knows', async (args, answers) => {
    expect(await hintOf(args, await nodeWith(answers))).toBeUndefined()
  })

  it('is hinted at by --network before a gateway', async () => {
    const gateway = await gatewayOver(await nodeWith({ eth_chainId: '0x1' }), 'evm')
    const url = `${gateway.rpc}/here/v3/${key}`
    expect(await hintOf(['rollup', 'get-info'], url)).toBe('rollup_getInfo is a method of rollups: --network names one')
    expect(await hintOf(['starknet', 'block-number'], url)).toBe(
      'starknet_blockNumber is a method of Starknet networks: --network names one',
    )
    expect(await hintOf(['starknet', 'subscribe', 'newHeads'], url)).toBe(
      'starknet_subscribeNewHeads is a method of Starknet networks: --network names one',
    )
    expect(await hintOf(['eth', 'balance', account], url)).toBeUndefined()
  })

  it.each([
    ['eth_getBalnce', 'eth_getBalance'],
    ['chainId', 'eth_chainId'],
    ['get-balance', 'eth_getBalance'],
  ])('that nobody knows, as %s, is hinted at by the name that was meant', async (name, meant) => {
    expect(await hintOf(['rpc', name], await nodeWith({}))).toBe(
      `no method is called ${name} (did you mean "${meant}"?)`,
    )
  })
})

describe('a network that a gateway does not have', () => {
  it('is hinted at, unless the gateway says why it is missing', async () => {
    const gateway = await gatewayOver(await nodeWith({ eth_chainId: '0x1' }), 'evm')
    const at = (network: string): string => `${gateway.rpc}/${network}/v3/${key}`
    for (const args of [
      ['eth', 'chain-id'],
      ['gas'],
      ['verify', 'block'],
      ['watch', 'heads'],
      ['eth', 'subscribe', 'newHeads'],
      ['storage-slot', '0', '--address', account],
    ])
      expect([args, await hintOf(args, at('mars'))]).toEqual([args, '--network names a network of the gateway'])
    expect(await hintOf(['starknet', 'block-number'], at('starknet-dev'))).toBeUndefined()
    const { stderr } = await runWayleave(['starknet', 'block-number', '--rpc-url', at('starknet-dev')])
    expect(stderr).toContain('unknown network "starknet-dev": starknet-devnet is not on the PATH')
  })
})

it('keeps hints out of JSON', async () => {
  const url = await nodeWith({})
  expect(await runWayleave(['eth', 'balance', account, '--rpc-url', url, '--json'])).toEqual({
    code: 1,
    stdout: '{"error":{"code":-32601,"message":"the method does not exist"}}\n',
    stderr: '',
  })
})

describe('a connection that cannot be made', () => {
  const commands = [
    ['eth', 'chain-id'],
    ['block'],
    ['rpc', 'eth_chainId'],
    ['gas'],
    ['rollup', 'get-info'],
    ['starknet', 'block-number', '--spec-version', '0.8'],
    ['verify', 'block'],
    ['storage-slot', '0', '--address', account],
    ['eth', 'subscribe', 'newHeads'],
    ['watch', 'heads'],
    ['starknet', 'subscribe', 'newHeads'],
  ]

  it.each(commands)('is told in words by %s %s', async (...args) => {
    const { url, server } = await serveHttp(() => {})
    await new Promise((resolve) => server.close(resolve))
    const words = `nothing listens at ${url}: start a gateway with wayleave dev, or name another by --rpc-url`
    const target = ['--rpc-url', `${url}/v3/a-key`]
    expect(await runWayleave([...args, ...target])).toEqual({ code: 1, stdout: '', stderr: `${words}\n` })
    const { code, stdout, stderr } = await runWayleave([...args, ...target, '--json'])
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' })
    expect(JSON.parse(stdout)).toEqual({ error: { code: 'connect', message: words } })
  })

  it('as its port speaks no TLS is told so', async () => {
    const { url } = await serveHttp(() => {})
    const https = url.replace('http:', 'https:')
    expect(await runWayleave(['eth', 'chain-id', '--rpc-url', `${https}/v3/a-key`])).toEqual({
      code: 1,
      stdout: '',
      stderr: `${https} does not speak TLS: is it an http URL?\n`,
    })
  })

  it('to a host that is not there names the host, and no key', async () => {
    const { code, stderr } = await runWayleave(['eth', 'chain-id', '--rpc-url', 'http://nowhere.invalid/v3/a-key'])
    expect(code).toBe(1)
    expect(stderr).toMatch(
      /^(?:there is no host nowhere\.invalid: check the URL|the name nowhere\.invalid cannot be looked up: is there a network\?)\n$/,
    )
  })
})
