// The node that every subject stands in front of: answers over keep-alive connections at as little cost as Node allows.
import { createServer, type Socket } from 'node:net'
import { blockCall, type CallKind, createLargeCall, createTracesCall, printAnswerHead, smallCall } from './calls.ts'

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
// No call names a block above it.
answers.set('eth_blockNumber', toAnswer(Buffer.from('"0x1fffffff"}')))
answers.set('eth_syncing', toAnswer(Buffer.from('false}')))
answers.set('web3_clientVersion', toAnswer(Buffer.from('"bench/1.0"}')))

function toAnswer(bytes: Buffer): Answer {
  return { length: bytes.length, text: bytes.length > longestText ? undefined : bytes.toString('latin1'), bytes }
}

let served = 0

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
  const length = /\r\ncontent-length: *(\d+)/i.exec(bytes.toString('latin1', 0, headEnd))?.[1]
  if (length === undefined) {
    socket.end('HTTP/1.1 411 Length Required\r\ncontent-length: 0\r\nconnection: close\r\n\r\n')
    return bytes.length
  }
  const end = headEnd + 4 + Number(length)
  if (bytes.length < end) return 0
  served++
  answer(socket, bytes.subarray(headEnd + 4, end))
  return end
}

function answer(socket: Socket, body: Buffer): void {
  const id = cut(body, '"id":', 0x2c, 0x7d)
  const known = answers.get(cut(body, '"method":"', 0x22, 0x22))
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
