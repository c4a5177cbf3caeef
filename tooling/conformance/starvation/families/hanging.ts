import { batch, post, read } from '../attack/calls.ts'
import { holdConnections } from '../attack/hold-connections.ts'
import { frame, holdWebSockets, opcodes } from '../attack/hold-web-sockets.ts'
import { repeatRequests } from '../attack/repeat-requests.ts'
import type { Family } from '../family.ts'

const hangingBatch: Family = {
  number: 1,
  name: 'hanging batch',
  does: 'one request at a time: a batch of 128 calls that the first node never answers',
  start: (context) => repeatRequests(context, { connections: 1, body: () => batch(context, 128, 'hang:') }),
}

const hangingCalls: Family = {
  number: 2,
  name: 'hanging calls',
  does: '2,000 calls that no node answers: 1,000 over HTTP, 1,000 over five WebSockets',
  start(context) {
    const overHttp = holdConnections(context, {
      count: 1_000,
      onOpen(socket) {
        socket.write(post(context.path, read(context, 'hang!:')))
        socket.once('data', () => socket.end())
      },
    })
    const overWebSocket = holdWebSockets(context, {
      count: 5,
      onOpen(socket) {
        for (let i = 0; i < 200; i++) socket.write(frame(opcodes.text, read(context, 'hang!:')))
      },
      onData(socket) {
        context.tally('messages')
        // What was answered is asked again, at a modest rate.
        setTimeout(() => socket.writable && socket.write(frame(opcodes.text, read(context, 'hang!:'))), 500)
      },
    })
    return {
      stop() {
        overHttp.stop()
        overWebSocket.stop()
      },
    }
  },
}

const slowUpstreamBodies: Family = {
  number: 3,
  name: 'slow upstream bodies',
  does: '400 calls whose answers of 1 MB come by halves, the second by 160 bytes a second',
  start: (context) =>
    holdConnections(context, {
      count: 400,
      onOpen: (socket) => void socket.write(post(context.path, read(context, 'drip!:1000000'))),
    }),
}

export const hangingFamilies: readonly Family[] = [hangingBatch, hangingCalls, slowUpstreamBodies]
