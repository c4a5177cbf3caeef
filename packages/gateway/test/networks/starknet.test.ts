// A real gateway over nodes of several versions, with what real nodes answered.
import { readFile } from 'node:fs/promises'
import { type Config, createLog, realSurroundings, type RunningGateway, startGateway } from '@wayleave/gateway'
import { rawJsonFromText, rawJsonFromValue, type RpcResponse } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openSocket } from '../web-socket-client.ts'
import { key, startNode, startTestGateway, type TestNode, reportedByFetch } from '../support.ts'

interface Recorded {
  readonly cases: readonly {
    readonly id: string
    readonly exchanges: readonly { readonly request: string; readonly response: string }[]
  }[]
}

const vectors = new URL('../../../starknet-types/test/vectors/recorded-answers.json', import.meta.url)
const { cases } = JSON.parse(await readFile(vectors, 'utf8')) as Recorded

/** A node's question and its answer, by the name of the recording. */
function recorded(id: string): { readonly params: unknown; readonly result: unknown } {
  const [exchange] = cases.find((each) => each.id === `starknet_estimateFee/${id}`)!.exchanges
  const { params } = JSON.parse(exchange!.request) as { params: unknown }
  return { params, result: (JSON.parse(exchange!.response) as { result: unknown }).result }
}

const [old, new8] = [
  recorded('0.6.0-declare_deploy_invoke_sierra_0_13_1'),
  recorded('0.8.0-declare_deploy_invoke_sierra_0_13_1'),
]

/** A node that speaks a version; each method answers its value, or what its function gives. */
function nodeOf(
  version: string | (() => string | Promise<string>),
  answers: Readonly<Record<string, unknown>> = {},
): Promise<TestNode> {
  const table: Readonly<Record<string, unknown>> = {
    starknet_specVersion: version,
    starknet_chainId: '0x534e5f4d41494e',
    ...answers,
  }
  return opened(
    startNode(async ({ method, params }) => {
      const answer = table[method]
      if (answer === undefined) return { error: { code: -32601, message: 'Method not found' } }
      const given: unknown = typeof answer === 'function' ? await answer(params?.value()) : answer
      return typeof given === 'object' && given !== null && 'error' in given
        ? (given as RpcResponse)
        : { result: rawJsonFromValue(given) }
    }),
  )
}

async function opened(starting: Promise<TestNode>): Promise<TestNode> {
  const node = await starting
  onTestFinished(() => node.close())
  return node
}

async function gatewayOver(nodes: readonly (TestNode | string)[], network: object = {}): Promise<RunningGateway> {
  const upstreams = nodes.map((node) => (typeof node === 'string' ? node : node.url))
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { sn: { kind: 'starknet', chainId: 'SN_MAIN', followHeads: false, upstreams, ...network } },
    projects: [{ name: 'open', keys: [{ key }] }],
  } as Config
  const gateway = await startGateway(config, {
    log: createLog({ level: 'silent' }),
    surroundings: { ...realSurroundings, random: () => 0 },
  })
  onTestFinished(() => gateway.close(0))
  return gateway
}

interface Reply {
  readonly status: number
  readonly result?: unknown
  readonly error?: { readonly code: number; readonly message: string; readonly data?: object }
}

async function ask(gateway: RunningGateway, method: string, params: unknown = [], version?: string): Promise<Reply> {
  const url = `${gateway.rpc}/v3/${key}${version === undefined ? '' : `/rpc/${version}`}`
  const response = await fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }) })
  return { status: response.status, ...((await response.json()) as object) }
}

const estimate = 'starknet_estimateFee'
const send = 'starknet_addInvokeTransaction'
const params = { request: [], block_id: 'latest' }

describe('callers and nodes of unlike versions', () => {
  it('a caller of 0.5.1 gets the fee of a node of 0.8 in his own words', async () => {
    const node = await nodeOf('0.8.1', { [estimate]: new8.result })
    const { status, result } = await ask(await gatewayOver([node]), estimate, params)
    expect(status).toBe(200)
    const [first] = result as [Record<string, unknown>]
    expect(first).toMatchObject({ gas_consumed: '0x5d09', gas_price: '0x1', overall_fee: '0x5e89' })
    expect(Object.keys(first)).not.toContain('l1_gas_consumed')
  })

  it('a caller of 0.8 by path gets the bytes of a node of 0.8', async () => {
    const text = '[{"overall_fee": "0x5e89", "n": 12345678901234567890}]'
    const node = await opened(
      startNode(async ({ method }) => ({ result: rawJsonFromText(method === estimate ? text : '"0.8.1"') })),
    )
    const gateway = await gatewayOver([node])
    const response = await fetch(`${gateway.rpc}/sn/v3/${key}/rpc/v0_8`, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: estimate, params }),
    })
    expect(await response.text()).toContain(text)
  })

  it('callers without a version in their path speak what the configuration says', async () => {
    const node = await nodeOf('0.8.1', { [estimate]: new8.result })
    const { result } = await ask(await gatewayOver([node], { specVersion: '0.8' }), estimate, params)
    expect(result).toEqual(new8.result)
  })

  it('each call of a batch and of a WebSocket is of the version of its path', async () => {
    const node = await nodeOf('0.8.1', { [estimate]: new8.result })
    const gateway = await gatewayOver([node])
    const call = (id: number): object => ({ jsonrpc: '2.0', id, method: estimate, params })
    const response = await fetch(`${gateway.rpc}/v3/${key}`, {
      method: 'POST',
      body: JSON.stringify([call(1), call(2)]),
    })
    const batch = (await response.json()) as { result: Record<string, unknown>[] }[]
    expect(batch.map(({ result }) => result[0]!['gas_consumed'])).toEqual(['0x5d09', '0x5d09'])
    for (const [path, member] of [
      ['', 'gas_consumed'],
      ['/rpc/v0_8', 'l1_gas_consumed'],
    ] as const) {
      const socket = await openSocket(`${gateway.ws}/ws/v3/${key}${path}`)
      socket.send(JSON.stringify(call(3)))
      const { result } = (await socket.next()) as { result: Record<string, unknown>[] }
      expect(result[0]![member]).toBe('0x5d09')
      await socket.close()
    }
  })

  it('asks a node for its version once, however many calls begin together', async () => {
    const node = await nodeOf('0.8.1', { starknet_blockNumber: 7 })
    const gateway = await gatewayOver([node])
    const versions = ['v0_5', 'v0_6', 'v0_7', 'v0_8', 'v0_9', 'v0_10']
    const replies = await Promise.all(versions.map((version) => ask(gateway, 'starknet_blockNumber', [], version)))
    expect(replies.map(({ result }) => result)).toEqual([7, 7, 7, 7, 7, 7])
    expect(node.calls.filter((method) => method === 'starknet_specVersion')).toHaveLength(1)
  })

  it('identical calls in flight are one only where they are of one version', async () => {
    const waiting: (() => void)[] = []
    const node = await nodeOf('0.8.1', {
      starknet_blockNumber: 1,
      [estimate]: () => new Promise((resolve) => waiting.push(() => resolve(new8.result))),
    })
    const gateway = await gatewayOver([node])
    await ask(gateway, 'starknet_blockNumber')
    const replies = Promise.all(
      ['v0_5', 'v0_5', 'v0_8', 'v0_8'].map((version) => ask(gateway, estimate, params, version)),
    )
    await expect.poll(() => waiting.length).toBe(2)
    for (const answer of waiting) answer()
    const firsts = (await replies).map(({ result }) => (result as Record<string, unknown>[])[0]!)
    expect(firsts.map((first) => 'gas_consumed' in first)).toEqual([true, true, false, false])
    expect(node.calls.filter((method) => method === estimate)).toHaveLength(2)
  })

  it('not found is an error, not null', async () => {
    const node = await nodeOf('0.8.1', {
      starknet_getTransactionByHash: { error: { code: 29, message: 'Transaction hash not found' } },
    })
    const { status, error } = await ask(await gatewayOver([node]), 'starknet_getTransactionByHash', ['0x1'])
    expect({ status, error }).toEqual({ status: 200, error: { code: 29, message: 'Transaction hash not found' } })
  })
})

describe('an answer that was translated', () => {
  it('holds the members of its version alone; its origin stands in a header', async () => {
    const node = await nodeOf('0.8.1', { [estimate]: new8.result, starknet_blockNumber: 7 })
    const gateway = await gatewayOver([node])
    const post = (method: string, version: string): Promise<Response> =>
      fetch(`${gateway.rpc}/v3/${key}/rpc/${version}`, {
        method: 'POST',
        headers: { Origin: 'https://page.example' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: method === estimate ? params : [] }),
      })
    const translated = await post(estimate, 'v0_5')
    expect(translated.headers.get('X-Wayleave-Adapted-From')).toBe('0.8')
    expect(translated.headers.get('Access-Control-Expose-Headers')).toContain('X-Wayleave-Adapted-From')
    const { result } = (await translated.json()) as { result: [object] }
    expect(Object.keys(result[0]).toSorted()).toEqual(['gas_consumed', 'gas_price', 'overall_fee'])
    expect((await post(estimate, 'v0_8')).headers.has('X-Wayleave-Adapted-From')).toBe(false)
    expect((await post('starknet_blockNumber', 'v0_5')).headers.has('X-Wayleave-Adapted-From')).toBe(false)
  })

  it('names members that nobody knows, beside the result where the caller asked for marks inside', async () => {
    const trace = {
      type: 'INVOKE',
      execute_invocation: { revert_reason: 'why' },
      execution_resources: { l1_gas: 0, l1_data_gas: 1, l2_gas: 2 },
    }
    const gateway = await gatewayOver([await nodeOf('0.9.0', { starknet_traceTransaction: trace })])
    const body = [{ jsonrpc: '2.0', id: 1, method: 'starknet_traceTransaction', params: ['0x1'] }]
    const askWith = async (marks: string): Promise<unknown> => {
      const response = await fetch(`${gateway.rpc}/v3/${key}/rpc/v0_7`, {
        method: 'POST',
        headers: { 'X-Wayleave-Marks': marks },
        body: JSON.stringify(body),
      })
      return response.json()
    }
    const execution_resources = { steps: 0, data_availability: { l1_gas: 0, l1_data_gas: 1 } }
    const reported = { jsonrpc: '2.0', id: 1, result: { ...trace, execution_resources } }
    expect(await askWith('none')).toEqual([reported])
    const unknown = 'execution_resources.steps execution_resources.data_availability.l1_gas'
    expect(await askWith('inline')).toEqual([{ ...reported, wayleave: { adaptedFrom: `0.9; unknown="${unknown}"` } }])
  })
})

describe('the version of a caller who names none', () => {
  it('is 0.5.1 where nodes take transactions of that version, or the path or the configuration says it', async () => {
    const version = 'starknet_specVersion'
    const seven = await gatewayOver([await nodeOf('0.7.1')])
    expect((await ask(seven, version)).result).toBe('0.5.1')
    const ten = await nodeOf('0.10.2')
    expect((await ask(await gatewayOver([ten]), version, [], 'v0_5')).result).toBe('0.5.1')
    expect((await ask(await gatewayOver([ten], { specVersion: '0.5.1' }), version)).result).toBe('0.5.1')
    expect((await ask(await gatewayOver([ten, seven.rpc + `/v3/${key}/rpc/v0_7`]), version)).result).toBe('0.5.1')
  })

  it('is not told where nodes are later: the refusal names the path to use', async () => {
    const gateway = await gatewayOver([await nodeOf('0.9.0')])
    const { error } = await ask(gateway, 'starknet_specVersion')
    expect(error).toMatchObject({
      code: -32603,
      message:
        'the URL names no version, so its callers speak 0.5.1, and the node speaks 0.9; to speak 0.9, end the URL with /rpc/v0_9',
      data: { caller: '0.5.1', endpoint: '0.9', path: '/rpc/v0_9' },
    })
  })
})

describe('a pool of nodes of unlike versions', () => {
  it('prefers a node of the version of the caller, once it is known', async () => {
    const [six, eight] = await Promise.all([
      nodeOf('0.6.0', { [estimate]: old.result }),
      nodeOf('0.8.1', { [estimate]: new8.result }),
    ])
    const gateway = await gatewayOver([six, eight], { specVersion: '0.8' })
    // Both become known: the first is asked, and refuses what its version cannot say.
    await ask(gateway, 'starknet_getBlockWithReceipts', ['latest'])
    expect((await ask(gateway, estimate, params)).result).toEqual(new8.result)
    expect((await ask(gateway, estimate, params, 'v0_6')).result).toEqual(old.result)
    expect([six, eight].map(({ calls }) => calls.filter((method) => method === estimate).length)).toEqual([1, 1])
  })

  it('finds out by itself that a node which was never asked speaks the version of the caller', async () => {
    const [six, eight] = await Promise.all([
      nodeOf('0.6.0', { starknet_blockNumber: 6 }),
      nodeOf('0.8.1', { starknet_blockNumber: 8 }),
    ])
    const gateway = await gatewayOver([six, eight], { specVersion: '0.8' })
    expect((await ask(gateway, 'starknet_blockNumber')).result).toBe(6)
    await expect.poll(async () => (await ask(gateway, 'starknet_blockNumber')).result).toBe(8)
    expect(eight.calls.filter((method) => method === 'starknet_specVersion')).toHaveLength(1)
    // A caller of the first node's version needs no other node.
    expect((await ask(gateway, 'starknet_blockNumber', [], 'v0_6')).result).toBe(6)
  })

  it('fails over to a node of another version', async () => {
    const eight = await nodeOf('0.8.1', { [estimate]: new8.result })
    const gone = await startNode()
    await gone.close()
    const { result } = await ask(await gatewayOver([gone.url, eight]), estimate, params)
    expect((result as Record<string, unknown>[])[0]).toMatchObject({ gas_consumed: '0x5d09' })
  })

  it('gives a call that one node cannot take to another one, a write too, and counts no failure', async () => {
    const eight = await nodeOf('0.8.1', { [send]: { transaction_hash: '0x8' } })
    const five = await nodeOf('0.5.1', { [send]: { transaction_hash: '0x5' } })
    const gateway = await gatewayOver([eight, five])
    const invoke = { invoke_transaction: { type: 'INVOKE', version: '0x1', max_fee: '0x1' } }
    expect((await ask(gateway, send, invoke)).result).toEqual({ transaction_hash: '0x5' })
    expect(eight.calls).not.toContain(send)
    const metrics = await (await fetch(`${gateway.admin}/metrics`)).text()
    expect(metrics).not.toContain('wayleave_upstream_failures_total{')
  })

  it('answers with the refusal where no node can take it', async () => {
    const eight = await nodeOf('0.8.1')
    const invoke = { invoke_transaction: { type: 'INVOKE', version: '0x1', max_fee: '0x1' } }
    const { status, error } = await ask(await gatewayOver([eight, eight]), send, invoke)
    expect(status).toBe(200)
    expect(error!.message).toContain('between a caller of Starknet RPC 0.5.1 and a node of 0.8')
    const reported = expect.any(String) as unknown
    expect(error!.message).toMatch(/; to speak 0\.8, end the URL with \/rpc\/v0_8$/)
    expect(error!.data).toEqual({
      caller: '0.5.1',
      endpoint: '0.8',
      reason: reported,
      path: '/rpc/v0_8',
      traceId: reported,
    })
    expect(eight.calls).not.toContain(send)
  })

  it('names the path that works to a library of 0.10 whose URL names no version', async () => {
    const ten = await nodeOf('0.10.0', { [estimate]: new8.result })
    const bound = { max_amount: '0x0', max_price_per_unit: '0x0' }
    const resource_bounds = { l1_gas: bound, l2_gas: bound, l1_data_gas: bound }
    const request = [{ type: 'INVOKE', version: '0x100000000000000000000000000000003', resource_bounds }]
    const asked = { request, block_id: 'latest', simulation_flags: ['SKIP_VALIDATE'] }
    const gateway = await gatewayOver([ten])
    const { error } = await ask(gateway, estimate, asked)
    expect(error).toMatchObject({ code: -32602, data: { path: '/rpc/v0_10' } })
    expect(error!.message).toMatch(/the caller speaks 0\.5\.1; to speak 0\.10, end the URL with \/rpc\/v0_10$/)
    expect((await ask(gateway, estimate, asked, 'v0_10')).result).toEqual(new8.result)
  })

  it('names the path of the version in which the node answers, where the caller has no word for the answer', async () => {
    const open = { block_number: 8, transactions: [] }
    const gateway = await gatewayOver([await nodeOf('0.9.0', { starknet_getBlockWithTxHashes: open })])
    const { error } = await ask(gateway, 'starknet_getBlockWithTxHashes', ['pending'])
    expect(error!.message).toMatch(/ no parent_hash, .*; to speak 0\.9, end the URL with \/rpc\/v0_9$/)
    const { path } = error!.data as { path: string }
    const spoken = await ask(gateway, 'starknet_getBlockWithTxHashes', ['pre_confirmed'], path.replace('/rpc/', ''))
    expect(spoken.result).toEqual(open)
  })

  it('asks another node where an answer cannot be said in the version of the caller', async () => {
    // A block's receipts of 0.7 hold less than those of 0.8: what lacks is not made up.
    const half = await nodeOf('0.7.1', {
      [estimate]: [{ gas_consumed: '0x1', gas_price: '0x2', overall_fee: '0x9', unit: 'WEI' }],
    })
    const eight = await nodeOf('0.9.0', { [estimate]: new8.result })
    const gateway = await gatewayOver([half, eight], { specVersion: '0.8' })
    expect((await ask(gateway, estimate, params)).result).toEqual(new8.result)
    expect(half.calls).toContain(estimate)
  })

  it('a node that does not tell its version is asked nothing else, and another one is, for a write too', async () => {
    const mute = await nodeOf((() => ({ error: { code: -32005, message: 'limit' } })) as never)
    const eight = await nodeOf('0.8.1', { [send]: { transaction_hash: '0x8' } })
    const invoke = { invoke_transaction: { type: 'INVOKE', version: '0x3' } }
    const gateway = await gatewayOver([mute, eight], { specVersion: '0.8' })
    expect((await ask(gateway, send, invoke)).result).toEqual({ transaction_hash: '0x8' })
    expect(mute.calls).toEqual(['starknet_specVersion'])
  })

  it('is an outage where no node tells its version', async () => {
    const mute = await nodeOf('0.4.0')
    const { status, error } = await ask(await gatewayOver([mute, mute]), 'starknet_blockNumber')
    expect({ status, error }).toMatchObject({
      status: 503,
      error: { code: -32603, message: expect.stringMatching(/^no upstream answered: 2 /) },
    })
  })
})

describe('a path', () => {
  const post = (url: string): Promise<Response> => fetch(url, { method: 'POST', body: '{}' })

  it.each(['v0_4', 'v0_11', 'v0', '0.8', 'latest', 'v0_08', 'V0_8', '__proto__', 'v0%5F8'])(
    'of the unknown version %s is told the known ones',
    async (version) => {
      const gateway = await gatewayOver([await nodeOf('0.8.1')])
      const response = await post(`${gateway.rpc}/v3/${key}/rpc/${version}`)
      const message = `unknown version "${version}" of sn; use one of v0_5, v0_6, v0_7, v0_8, v0_9, v0_10`
      expect({ status: response.status, body: await reportedByFetch(response) }).toEqual({
        status: 404,
        body: { jsonrpc: '2.0', id: null, error: { code: -32600, message } },
      })
      await expect(openSocket(`${gateway.ws}/ws/v3/${key}/rpc/${version}`)).rejects.toThrow('404')
    },
  )

  it('of a version leads nowhere on a network that has none', async () => {
    const node = await nodeOf('0.8.1')
    const gateway = await startTestGateway([node.url])
    onTestFinished(() => gateway.close(0))
    const response = await post(`${gateway.rpc}/v3/${key}/rpc/v0_8`)
    const message = 'mainnet has no versions to choose from; leave out what follows the key'
    expect({ status: response.status, body: await reportedByFetch(response) }).toEqual({
      status: 404,
      body: { jsonrpc: '2.0', id: null, error: { code: -32600, message } },
    })
  })

  it('of a network that could be here says why it is not', async () => {
    const node = await nodeOf('0.8.1')
    const gateway = await startTestGateway([node.url], {}, { absentNetworks: { sn: 'no node was found; start one' } })
    onTestFinished(() => gateway.close(0))
    const response = await post(`${gateway.rpc}/sn/v3/${key}`)
    const message = 'unknown network "sn": no node was found; start one'
    expect({ status: response.status, body: await reportedByFetch(response) }).toEqual({
      status: 404,
      body: { jsonrpc: '2.0', id: null, error: { code: -32002, message } },
    })
  })
})

describe('what is not served', () => {
  it('the network has no gas API, and is ready by its own chain id', async () => {
    const node = await nodeOf('0.8.1')
    const gateway = await gatewayOver([node])
    expect(gateway.networks).toEqual({ sn: 'SN_MAIN' })
    expect(await (await fetch(`${gateway.rpc}/v1/supportedChainNames`)).json()).toEqual({})
    expect(await (await fetch(`${gateway.rpc}/readyz`)).text()).toBe('sn: ok\n')
    expect(node.calls).toEqual(['starknet_chainId'])
  })
})
