import { rawTransactions } from '../nodes.ts'
import { keyOf, secret } from '../config.ts'
import { frame, places, type Scene } from './scene.ts'

const address = `0x${'ab'.repeat(20)}`
/** The balance at the head may be cached. */
const addressAt = (place: number): string => `0x${['ab', 'cd'][place]!.repeat(20)}`

/** A call of each class, by its name in the recording. Each place has params of its own: a cached answer is one process' alone. */
const classes: readonly (readonly [name: string, method: string, params: (place: number) => unknown])[] = [
  ['read of the head', 'eth_blockNumber', () => []],
  ['read of the head by tag', 'eth_getBlockByNumber', () => ['latest', false]],
  ['read of the head at a node', 'eth_getBalance', (place) => [addressAt(place), 'latest']],
  ['read of a final block', 'eth_getBlockByNumber', (place) => [`0x${place + 2}`, false]],
  ['read of the final tag', 'eth_getBlockByNumber', () => ['finalized', false]],
  [
    'read of a block by hash that nobody has',
    'eth_getBlockByHash',
    (place) => [`0x${String(place + 1).repeat(64)}`, false],
  ],
  ['read of logs', 'eth_getLogs', (place) => [{ fromBlock: `0x${place + 4}`, toBlock: `0x${place + 5}` }]],
  ['read of too many logs', 'eth_getLogs', () => [{ fromBlock: '0x0', toBlock: '0xfffff' }]],
  [
    'read of a transaction that nobody has',
    'eth_getTransactionReceipt',
    (place) => [`0x${String(place + 1).repeat(64)}`],
  ],
  ['answer of the gateway', 'eth_chainId', () => []],
  ['answer about the chain', 'net_version', () => []],
  ['answer about the progress', 'eth_syncing', () => []],
  ['write', 'eth_sendRawTransaction', (place) => [rawTransactions[place]]],
  ['unknown method', 'law_unknownMethod', () => []],
  ['denied method', 'admin_peers', () => []],
  ['denied method in another case', 'ADMIN_peers', () => []],
  ['method that the node does not support', 'trace_block', () => ['latest']],
  ['error with data in hex', 'eth_call', (place) => [{ to: address, data: `0x0${place}` }, 'latest']],
  ['error with data of many kinds', 'eth_estimateGas', (place) => [{ to: address, data: `0x0${place}` }]],
  ['error without data', 'eth_createAccessList', (place) => [{ to: address, data: `0x0${place}` }]],
  ['wrong params', 'eth_getBlockByNumber', () => ['soon', false]],
  ['params of a wrong shape', 'eth_getBalance', () => ({ address })],
  ['subscription over HTTP', 'eth_subscribe', () => ['newHeads']],
]

/** Has both places keep the answers that never change, which is otherwise seen at the place that is asked first. */
export async function warmUp({ rpc }: Scene): Promise<void> {
  for (const place of places) {
    for (const method of ['eth_chainId', 'net_version']) await rpc(place, 'open', method)
    for (const method of ['starknet_chainId', 'starknet_specVersion'])
      await rpc(place, 'open', method, [], { path: '/starknet' })
  }
}

/** Calls of every class at each place, over both transports. */
export async function callEveryClass({ rpc, socket, transcript }: Scene): Promise<void> {
  for (const place of places) {
    const ws = await socket(place, `/ws/v3/${keyOf('open')}`)
    for (const [name, method, params] of classes) {
      transcript.answer(`http, place ${place}: ${name}`, await rpc(place, 'open', method, params(place)))
      // The answer is cached by now, wherever the cache keeps it.
      if (method !== 'eth_subscribe')
        transcript.add(`websocket, place ${place}: ${name}`, [await ws.ask(method, params(place))])
    }
    transcript.answer(
      `http, place ${place}: no upstream`,
      await rpc(place, 'open', 'eth_gasPrice', [], { path: '/gone' }),
    )
    const starknet = { path: '/starknet' }
    for (const method of ['starknet_blockNumber', 'starknet_chainId', 'starknet_lawUnknown'])
      transcript.answer(`http, place ${place}: ${method}`, await rpc(place, 'open', method, [], starknet))
  }
}

/** Bodies, batches and paths that are answered as a whole. */
const bodies: Readonly<Record<string, string>> = {
  'a batch': JSON.stringify([
    { jsonrpc: '2.0', id: 1, method: 'eth_chainId' },
    { jsonrpc: '2.0', id: 'two', method: 'eth_gasPrice' },
    { jsonrpc: '2.0', id: 3, method: 'eth_estimateGas', params: [{ to: address }] },
    { jsonrpc: '2.0', id: null, method: 'admin_peers' },
    { jsonrpc: '2.0', method: 'eth_chainId' },
  ]),
  'a batch of nothing': '[]',
  'a batch that is too long': JSON.stringify(
    Array.from({ length: 6 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'eth_chainId' })),
  ),
  'a batch with what is no call': '[1,{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}]',
  'a notification': '{"jsonrpc":"2.0","method":"eth_chainId"}',
  'what is no JSON': '{"jsonrpc":',
  'what is no call': '{"jsonrpc":"2.0","id":1}',
  'an empty body': '',
  'a body that is too long': `{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":["${'a'.repeat(20_000)}"]}`,
}

type Asked = readonly [name: string, path: string, headers?: Readonly<Record<string, string>>, method?: string]

const basic = (password: string): string => `Basic ${Buffer.from(`:${password}`).toString('base64')}`
const key = keyOf('open')
const requests: readonly Asked[] = [
  ['an unknown key', '/v3/nobody-has-this-key'],
  ['an unknown key, by JSON', '/v3/nobody-has-this-key', { accept: 'application/json' }],
  ['no key', '/v3'],
  ['a key in a header', '/v3', { 'x-api-key': key }],
  ['two keys', `/v3/${key}`, { 'x-api-key': keyOf('shown') }],
  ['an unknown network', `/nowhere/v3/${key}`],
  ['an unknown path', '/v4/anything'],
  ['a network that the project may not use', `/v3/${keyOf('elsewhere')}`],
  ['a secret that is missing', `/v3/${keyOf('secret')}`],
  ['a secret that is wrong', `/v3/${keyOf('secret')}`, { authorization: basic('wrong') }],
  ['a secret', `/v3/${keyOf('secret')}`, { authorization: basic(secret) }],
  ['a token that is none', `/v3/${key}`, { authorization: 'Bearer a.b.c' }],
  ['a method that a rule denies', `/v3/${keyOf('ruled')}`],
  ['an origin', `/v3/${key}`, { origin: 'https://app.example' }],
  ['a preflight', `/v3/${key}`, { origin: 'https://app.example', 'access-control-request-method': 'POST' }, 'OPTIONS'],
  ['another HTTP method', `/v3/${key}`, {}, 'GET'],
  ['a trace of the caller', `/v3/${key}`, { traceparent: `00-${'1'.repeat(32)}-${'2'.repeat(16)}-01` }],
  ['an upstream that is shown', `/v3/${keyOf('shown')}`],
  ['health', '/healthz', {}, 'GET'],
  ['readiness', '/readyz', {}, 'GET'],
  ['versions of Starknet', `/starknet/v3/${key}/rpc/v0_8`],
  ['an unknown version of Starknet', `/starknet/v3/${key}/rpc/v9_9`],
]

/** Requests that are refused, and those with headers. */
export async function askWithEveryHeader({ http, transcript }: Scene): Promise<void> {
  for (const place of places) {
    const open = `/v3/${keyOf('open')}`
    for (const [name, body] of Object.entries(bodies))
      transcript.answer(`body, place ${place}: ${name}`, await http[place].ask(open, { body }))
    for (const [name, path, headers = {}, method = 'POST'] of requests) {
      const body =
        method === 'POST' ? frame(path.startsWith('/starknet') ? 'starknet_specVersion' : 'eth_chainId') : undefined
      transcript.answer(`request, place ${place}: ${name}`, await http[place].ask(path, { method, headers, body }))
    }
  }
}

const pinned = { 'x-wayleave-consistency': 'pinned' }
const directives: readonly Asked[] = [
  ['pinned', 'open', pinned],
  ['pinned with marks', 'open', { ...pinned, 'x-wayleave-marks': 'inline' }],
  ['marks by default', 'shown'],
  ['no marks', 'shown', { 'x-wayleave-marks': 'none' }],
  ['without the cache', 'open', { 'x-wayleave-skip-cache': 'true' }],
  ['without the cache where that is not allowed', 'never', { 'x-wayleave-skip-cache': 'true' }],
  ['a value without meaning', 'open', { 'x-wayleave-consistency': 'sometimes' }],
]

/** Every directive, as a header and in the query, over both transports. */
export async function directEveryWay({ http, socket, transcript }: Scene): Promise<void> {
  for (const place of places) {
    const balance = [addressAt(place), 'latest']
    for (const [name, project, headers = {}] of directives) {
      const path = `/v3/${keyOf(project)}`
      const query = `?${new URLSearchParams(headers).toString()}`
      const batch = JSON.stringify([1, 2].map((id) => JSON.parse(frame('eth_getBalance', balance, id)) as object))
      const entry = `directive, place ${place}: ${name}`
      const body = frame('eth_getBlockByNumber', [place === 0 ? '0x8' : '0x9', false])
      transcript.answer(`${entry}, by header`, await http[place].ask(path, { headers, body }))
      transcript.answer(
        `${entry}, by query`,
        await http[place].ask(`${path}${query}`, { body: frame('eth_getBalance', balance) }),
      )
      transcript.answer(`${entry}, in a batch`, await http[place].ask(path, { headers, body: batch }))
      const ws = await socket(place, `/ws${path}${query}`)
      transcript.add(`${entry}, over a WebSocket`, [await ws.ask('eth_getBalance', balance)])
    }
  }
}
