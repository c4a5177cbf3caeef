// The ways that `call-way.mjs` counts: each is one request of a warm process with one upstream, SQLite, heads followed and the usual cache.
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLog, startGateway } from '../../packages/gateway/src/index.ts'

const key = 'f'.repeat(32)
const token = 'a token of operators, long enough'
const secret = 's'.repeat(32)

/** Sends a request, and resolves with the text of its answer; rejects where its status is not `expected`. */
const send = (url, { method = 'POST', headers = {}, body, expected = 200 } = {}) =>
  new Promise((resolve, reject) => {
    const sent = request(url, { method, headers }, (response) => {
      const chunks = []
      response.on('data', (chunk) => chunks.push(chunk))
      response.on('end', () => {
        const text = Buffer.concat(chunks).toString()
        if (response.statusCode === expected) resolve(text)
        else reject(new Error(`${method} ${url}: expected ${expected}, got ${response.statusCode}: ${text}`))
      })
    })
    sent.on('error', reject).end(body)
  })

const json = { 'content-type': 'application/json' }
const callOf = (method, params) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
const ethCall = (data) => callOf('eth_call', [{ to: `0x${'1'.repeat(40)}`, data }, 'latest'])

/** Starts a gateway before a node of another process, and returns the ways by their names. */
export async function openWays(startNode) {
  const folder = await mkdtemp(join(tmpdir(), 'call-way-'))
  const node = startNode()
  const port = await new Promise((resolve) => void node.once('message', resolve))
  const config = {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0', ipfs: '127.0.0.1:0' },
    store: { sqlite: join(folder, 'store.sqlite') },
    ipfs: { backend: 'local', dir: join(folder, 'ipfs') },
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [`http://127.0.0.1:${port}`] } },
    defaultNetwork: 'mainnet',
    admin: { token },
    projects: [{ name: 'main', keys: [{ key, secret }] }],
  }
  const gateway = await startGateway(config, { log: createLog({ level: 'error' }) })
  const { origin } = new URL(gateway.rpc)
  const url = `${origin}/v3/${key}`
  const operator = { ...json, authorization: `Bearer ${token}` }
  let count = 0
  const fresh = () => `0x${(++count).toString(16).padStart(8, '0')}`
  const post = (body) => send(url, { headers: json, body })
  const open = () =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(`${gateway.ws}/ws/v3/${key}`)
      socket.addEventListener('open', () => resolve(socket))
      socket.addEventListener('error', reject)
    })
  const ask = (socket, body) =>
    new Promise((resolve) => {
      socket.addEventListener('message', ({ data }) => resolve(data), { once: true })
      socket.send(body)
    })
  const ipfs = `${gateway.ipfs}/api/v0/add`
  const add = () => {
    const body = `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${fresh()} \r\n--b--\r\n`
    const headers = {
      'content-type': 'multipart/form-data; boundary=b',
      authorization: `Basic ${btoa(`${key}:${secret}`)}`,
    }
    return send(ipfs, { headers, body })
  }
  const created = async () => {
    const project = JSON.parse(
      await send(`${gateway.admin}/admin/v1/projects`, {
        headers: operator,
        expected: 201,
        body: JSON.stringify({ name: `p${fresh()}` }),
      }),
    )
    const path = `${gateway.admin}/admin/v1/projects/${project.id}/keys`
    return `${path}/${JSON.parse(await send(path, { headers: operator, expected: 201, body: '{}' })).id}`
  }
  const sockets = []
  const kept = await open()
  sockets.push(kept)
  let doomed
  /** The subscription of `kept`. */
  let opened
  /** A socket with one subscription. */
  let subscribed
  return {
    ways: {
      'HTTP eth_call, not cached': { run: () => post(ethCall(fresh())) },
      'the same with a 400 kB body': { run: () => post(ethCall(`${fresh()}${'0'.repeat(400_000)}`)), warm: 20 },
      'the same with a 2 MB answer': { run: () => post(ethCall('0x2ab')), warm: 5 },
      'refused key': {
        run: () => send(`${origin}/v3/${'0'.repeat(32)}`, { headers: json, body: ethCall('0x'), expected: 401 }),
      },
      'IPFS add, 11 bytes': { run: add, warm: 20 },
      'WebSocket open': { run: async () => void sockets.push(await open()), warm: 5 },
      'eth_subscribe newHeads': {
        async before() {
          if (opened !== undefined) await ask(kept, callOf('eth_unsubscribe', [opened]))
        },
        async run() {
          opened = JSON.parse(await ask(kept, callOf('eth_subscribe', ['newHeads']))).result
        },
        warm: 5,
      },
      'a head to one socket': {
        async before() {
          if (subscribed !== undefined) return
          if (opened !== undefined) await ask(kept, callOf('eth_unsubscribe', [opened]))
          subscribed = await open()
          sockets.push(subscribed)
          await ask(subscribed, callOf('eth_subscribe', ['newHeads']))
        },
        async run() {
          node.send('mine')
          await new Promise((resolve) => void subscribed.addEventListener('message', resolve, { once: true }))
        },
        warm: 2,
      },
      'reload that removes one key': {
        before: () =>
          gateway.reload({ ...config, projects: [{ name: 'main', keys: [{ key, secret }, { key: 'e'.repeat(32) }] }] }),
        run: () => gateway.reload(config),
        warm: 1,
      },
      'DELETE a key': {
        async before() {
          doomed = await created()
        },
        run: () => send(doomed, { method: 'DELETE', headers: operator, expected: 204 }),
        warm: 1,
        restMs: 400,
      },
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.close()
      await gateway.close(0)
      node.disconnect()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
