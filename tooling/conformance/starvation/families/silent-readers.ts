import { batch, longCallInGzip, post, read } from '../attack/calls.ts'
import { holdConnections } from '../attack/hold-connections.ts'
import { frame, holdWebSockets, opcodes } from '../attack/hold-web-sockets.ts'
import type { Family } from '../family.ts'

const oneMiB = 1_048_576

const httpReaders: Family = {
  number: 7,
  name: 'HTTP never read',
  does: '300 connections that read nothing: answers of 4 MB on one half, batches of 8 x 1 MiB on the other',
  start(context) {
    let turn = 0
    return holdConnections(context, {
      count: 300,
      perSecond: 60,
      reads: false,
      onOpen(socket) {
        const body = turn++ % 2 === 0 ? read(context, 'long:4000000') : batch(context, 8, `long:${oneMiB}`)
        socket.write(post(context.path, body))
      },
    })
  },
}

const webSocketReaders: Family = {
  number: 8,
  name: 'WebSocket never read',
  does: '40 WebSockets that ask for 100 x 1 MiB and read nothing',
  start: (context) =>
    holdWebSockets(context, {
      count: 40,
      reads: false,
      onOpen(socket) {
        for (let i = 0; i < 100; i++) socket.write(frame(opcodes.text, read(context, `long:${oneMiB}`)))
      },
    }),
}

const pipelinedBatches: Family = {
  number: 9,
  name: 'pipelined batches',
  does: 'one connection that sends 40 batches of 24 x 1 MiB and reads nothing',
  start: (context) =>
    holdConnections(context, {
      count: 1,
      reads: false,
      onOpen(socket) {
        for (let i = 0; i < 40; i++) socket.write(post(context.path, batch(context, 24, `long:${oneMiB}`)))
      },
    }),
}

const pipelinedGzip: Family = {
  number: 10,
  name: 'pipelined gzip',
  does: 'one connection that sends 190 bodies of 5 kB, each of which is 4.9 MB, and reads nothing',
  start(context) {
    const one = post(context.path, longCallInGzip(), { 'Content-Encoding': 'gzip' })
    const all = Buffer.concat(Array.from({ length: 190 }, () => one))
    return holdConnections(context, { count: 1, reads: false, onOpen: (socket) => void socket.write(all) })
  },
}

export const silentReaderFamilies: readonly Family[] = [httpReaders, webSocketReaders, pipelinedBatches, pipelinedGzip]
