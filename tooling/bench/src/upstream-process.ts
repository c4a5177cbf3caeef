// `upstream-process.ts [BLOCK_MS [DELAY_MS]]`: the node that every subject stands in front of: answers over keep-alive connections at as little cost as Node allows.
import { hash } from 'node:crypto'
import { createServer, type Socket } from 'node:net'
import { blockCall, type CallKind, createLargeCall, createTracesCall, printAnswerHead, smallCall } from './calls.ts'
import { systemClock } from './defaults.ts'
import { createClientFrameReader, opcodes, serverFrame } from './load/frames.ts'
import { callResult, chainResultOf } from './mix/results.ts'
import { startChain } from './upstream-chain.ts'

/** Larger answers go out as the prebuilt bytes, smaller ones as one string with their head. */
const longestText = 65_536

interface Answer {
  readonly length: number
  readonly text: string | undefined
  readonly bytes: Buffer
}

const answers = new Map<string, Answer>()
for (const call of [smallCall, blockCall, createLargeCall(), createTracesCall()] satisfies CallKind[])
  answers.set(call.method, toAnswer(call.tail))
// The calls that a gateway makes to a new node.
answers.set('eth_chainId', toAnswer(Buffer.from('"0x1"}')))
answers.set('net_version', toAnswer(Buffer.from('"1"}')))
answers.set('eth_call', toAnswer(Buffer.from(`${callResult}}`)))
answers.set('eth_syncing', toAnswer(Buffer.from('false}')))
answers.set('web3_clientVersion', toAnswer(Buffer.from('"bench/1.0"}')))

function toAnswer(bytes: Buffer): Answer {
  return { length: bytes.length, text: bytes.length > longestText ? undefined : bytes.toString('latin1'), bytes }
}

let served = 0

/** A block is made every so many ms. */
const blockMs = Number(process.argv[2] ?? 12_000)
/** Small answers wait so many ms, as those of a node do that is not on this machine. */
const delayMs = Number(process.argv[3] ?? 0)
const subscribers = new Set<Socket>()
const chain = startChain(systemClock, blockMs, ({ announced }) => {
  const params = `{"subscription":"0x1","result":${announced()}}`
  const event = serverFrame(`{"jsonrpc":"2.0","method":"eth_subscription","params":${params}}`)
  for (const socket of subscribers) socket.write(event)
})

/** Methods whose answers may depend on the chain. */
const ofChain = new Set([
  'eth_blockNumber',
  'eth_getBlockByNumber',
  'eth_getBlockByHash',
  'eth_getTransactionReceipt',
  'eth_getLogs',
])

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params?: readonly unknown[]
}

/** Prints the result of a call, the frame's brace included; undefined where it knows none. */
function resultOf({ method, params = [] }: Call): string | undefined {
  const known = chainResultOf(chain, method, params)
  return known === undefined ? answers.get(method)?.bytes.toString('latin1') : `${known}}`
}

/** Answers the calls of a WebSocket. */
function serveFrames(socket: Socket): (bytes: Buffer) => void {
  socket.on('close', () => subscribers.delete(socket))
  return createClientFrameReader((opcode, payload) => {
    if (opcode === opcodes.close) return void socket.end()
    if (opcode === opcodes.ping) return void socket.write(Buffer.concat([Buffer.from([0x8a, payload.length]), payload]))
    if (opcode !== opcodes.text) return
    const call = JSON.parse(payload.toString('utf8')) as Call
    const id = JSON.stringify(call.id)
    served++
    if (call.method === 'eth_subscribe') subscribers.add(socket)
    const result = call.method === 'eth_subscribe' ? '"0x1"}' : resultOf(call)
    const error = '"error":{"code":-32601,"message":"method not found"}}'
    socket.write(
      serverFrame(result === undefined ? `{"jsonrpc":"2.0","id":${id},${error}` : printAnswerHead(id) + result),
    )
  })
}

const upgraded =
  'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: '

/** Takes an upgrade to a WebSocket; false where the request is for none. */
function upgrade(socket: Socket, head: string): boolean {
  const key = /\r\nsec-websocket-key: *(\S+)/i.exec(head)?.[1]
  if (key === undefined) return false
  const accept = hash('sha1', `${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`, 'base64')
  socket.removeAllListeners('data')
  socket.write(`${upgraded}${accept}\r\n\r\n`, 'latin1')
  socket.on('data', serveFrames(socket))
  return true
}

function serve(socket: Socket): void {
  let held: Buffer | undefined
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (arrived: Buffer) => {
    let bytes = held === undefined ? arrived : Buffer.concat([held, arrived])
    held = undefined
    while (bytes.length > 0) {
      const used = answerFirst(socket, bytes)
      if (used === 0) {
        held = bytes
        return
      }
      bytes = bytes.subarray(used)
    }
  })
}

/** Answers the first request in `bytes` and returns its length, 0 if it is not complete. */
function answerFirst(socket: Socket, bytes: Buffer): number {
  const headEnd = bytes.indexOf('\r\n\r\n', 0, 'latin1')
  if (headEnd < 0) return 0
  const head = bytes.toString('latin1', 0, headEnd)
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined) {
    if (upgrade(socket, head)) return bytes.length
    socket.end('HTTP/1.1 411 Length Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    return bytes.length
  }
  const end = headEnd + 4 + Number(length)
  if (bytes.length < end) return 0
  served++
  const body = bytes.subarray(headEnd + 4, end)
  if (delayMs > 0) systemClock.after(delayMs, () => socket.destroyed || answer(socket, body))
  else answer(socket, body)
  return end
}

/** Answers a batch of small calls in one array. */
function answerBatch(socket: Socket, body: Buffer): void {
  const calls = JSON.parse(body.toString('latin1')) as readonly Call[]
  served += calls.length - 1
  const texts = calls.map((call) => printAnswerHead(JSON.stringify(call.id)) + (resultOf(call) ?? 'null}'))
  const text = `[${texts.join(',')}]`
  socket.write(printHead(text.length) + text, 'latin1')
}

/** Answers a call about the chain; false for any other. */
function answerOfChain(socket: Socket, body: Buffer): boolean {
  const call = JSON.parse(body.toString('latin1')) as Call
  const result = chainResultOf(chain, call.method, call.params ?? [])
  if (result === undefined) return false
  const text = `${printAnswerHead(JSON.stringify(call.id))}${result}}`
  socket.write(printHead(text.length) + text, 'latin1')
  return true
}

function answer(socket: Socket, body: Buffer): void {
  if (body[0] === 0x5b) return answerBatch(socket, body)
  const method = cut(body, '"method":"', 0x22, 0x22)
  if (ofChain.has(method) && answerOfChain(socket, body)) return
  const id = cut(body, '"id":', 0x2c, 0x7d)
  const known = answers.get(method)
  if (known === undefined) {
    const error = `{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"method not found"}}`
    socket.write(`${printHead(error.length)}${error}`, 'latin1')
    return
  }
  const head = printAnswerHead(id)
  const start = printHead(head.length + known.length) + head
  if (known.text !== undefined) {
    socket.write(start + known.text, 'latin1')
    return
  }
  socket.cork()
  socket.write(start, 'latin1')
  socket.write(known.bytes)
  socket.uncork()
}

/** Reads the text after `label` up to the first of two bytes; 'null' if there is none. */
function cut(body: Buffer, label: string, one: number, other: number): string {
  const at = body.indexOf(label, 0, 'latin1')
  if (at < 0) return 'null'
  const from = at + label.length
  let to = from
  while (to < body.length && body[to] !== one && body[to] !== other) to++
  return body.toString('latin1', from, to)
}

function printHead(length: number): string {
  return `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${length}\r\n\r\n`
}

const server = createServer(serve)
server.listen(0, '127.0.0.1', () => process.send?.(server.address()))
process.on('message', () => process.send?.(served))
process.on('disconnect', () => process.exit(0))
