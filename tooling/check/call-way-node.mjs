// The node behind the ways of `call-ways.mjs`, in a process of its own: what it does is on no call's way. It mines a block when it is told to.
import { createServer } from 'node:http'

let height = 256
const hex = (number) => `0x${number.toString(16)}`
const word = (number) => `0x${number.toString(16).padStart(64, '0')}`
const start = Math.floor(Date.now() / 1_000) - height

function block(number) {
  const quantities = { gasLimit: '0x1', gasUsed: '0x1', baseFeePerGas: '0x1', timestamp: hex(start + number) }
  const logsBloom = `0x${'0'.repeat(512)}`
  return {
    number: hex(number),
    hash: word(number),
    parentHash: word(number - 1),
    logsBloom,
    transactions: [],
    ...quantities,
  }
}

const answers = {
  eth_chainId: () => '0x1',
  eth_blockNumber: () => hex(height),
  eth_getBlockByNumber: ([tag]) => block(tag.startsWith('0x') ? Number(tag) : height),
  eth_getBlockByHash: ([hash]) => block(Number(hash)),
  eth_call: ([{ data }]) => (data === '0x2ab' ? `0x${'0'.repeat(2_000_000)}` : '0x03'),
}

function answer({ id, method, params }) {
  if (answers[method] === undefined) return { jsonrpc: '2.0', id, error: { code: -32601, message: 'no such method' } }
  return { jsonrpc: '2.0', id, result: answers[method](params) }
}

const server = createServer(async (request, response) => {
  const chunks = await request.toArray()
  const call = JSON.parse(Buffer.concat(chunks).toString())
  response.end(JSON.stringify(Array.isArray(call) ? call.map(answer) : answer(call)))
})
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
process.on('message', () => height++)
process.on('disconnect', () => process.exit())
