// Run by an older Node, on what was built: offers of an upgrade that are not taken, and a compressed body.
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import { createLog, startGateway } from '../../../dist/index.js'

// Node has it from 24 on, which the gateway asks for; everything else is this Node's own.
globalThis.AsyncDisposableStack ??= class Stack {
  disposers = []
  defer(dispose) {
    this.disposers.push(dispose)
  }
  move() {
    return Object.assign(new Stack(), { disposers: this.disposers.splice(0) })
  }
  async disposeAsync() {
    for (const dispose of this.disposers.splice(0).toReversed()) await dispose()
  }
  [Symbol.asyncDispose]() {
    return this.disposeAsync()
  }
}

const warnings = []
process.on('warning', ({ message }) => warnings.push(message))

const node = createServer(async (request, response) => {
  let text = ''
  for await (const chunk of request) text += chunk
  response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(text).id, result: '0x1' }))
})
await new Promise((resolve) => node.listen(0, '127.0.0.1', resolve))
const gateway = await startGateway(
  {
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { net: { kind: 'evm', chainId: 1, upstreams: [`http://127.0.0.1:${node.address().port}`] } },
    projects: [{ name: 'p', keys: [{ key: 'k' }] }],
  },
  { log: createLog({ level: 'silent' }) },
)

const body = '{"jsonrpc":"2.0","id":"own","method":"eth_chainId"}'
const offer = (options) =>
  [
    'POST /v3/k HTTP/1.1',
    'Host: localhost',
    `Connection: Upgrade, HTTP2-Settings${options}`,
    'Upgrade: h2c',
    'HTTP2-Settings: AAMAAABkAAQAAP__',
    `Content-Length: ${body.length}`,
    '',
    body,
  ].join('\r\n')

const socket = connect(Number(new URL(gateway.rpc).port), '127.0.0.1')
let answers = ''
socket.setEncoding('utf8').on('data', (text) => {
  answers += text
  const count = answers.match(/"result"/g)?.length ?? 0
  // More than listeners may add up to; the last one comes in two pieces.
  if (count < 11) return void socket.write(offer(''))
  if (count > 11) return
  socket.write(offer(', close').slice(0, -20))
  setTimeout(() => socket.write(body.slice(-20)), 50)
})
socket.write(offer(''))
await new Promise((resolve) => socket.on('close', resolve))

const headers = { 'content-encoding': 'gzip' }
const compressed = await fetch(`${gateway.rpc}/v3/k`, { method: 'POST', headers, body: gzipSync(body) })
console.log(
  JSON.stringify({
    offered: answers.match(/HTTP\/1.1 \d+|"id":"own","result":"0x1"/g),
    compressed: await compressed.json(),
    warnings,
  }),
)
await gateway.close()
node.close()
