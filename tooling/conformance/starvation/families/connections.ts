import { longBytes, post, read } from '../attack/calls.ts'
import { holdConnections } from '../attack/hold-connections.ts'
import { upgrade } from '../attack/hold-web-sockets.ts'
import type { Family } from '../family.ts'

const resets: Family = {
  number: 20,
  name: 'resets',
  does: '500 connections a second that are reset while their call is on its way',
  start: (context) =>
    holdConnections(context, {
      count: 500,
      onOpen(socket) {
        socket.write(post(context.path, read(context, 'slow!:1000')))
        setTimeout(() => socket.resetAndDestroy(), 20)
      },
    }),
}

const churn: Family = {
  number: 21,
  name: 'connection churn',
  does: '500 connections a second, each for one call',
  start: (context) =>
    holdConnections(context, {
      count: 500,
      onOpen(socket) {
        socket.write(post(context.path, read(context)))
        socket.once('data', () => socket.end())
      },
    }),
}

const manyConnections: Family = {
  number: 26,
  name: '10,000 connections',
  does: '10,000 connections, each with what it may hold: 100 kB of a body of 4.9 MB, a hanging call, or a WebSocket',
  // The budget of bytes, and 20 kB for each connection.
  bars: { plusMs: Number.POSITIVE_INFINITY, peakMegabytes: 192 + 200, settledMegabytes: 64 + 100 },
  start(context) {
    const begin = post(context.path, Buffer.alloc(100_000, 0x20), {}, longBytes)
    let turn = 0
    return holdConnections(context, {
      count: 10_000,
      perSecond: 1_000,
      onOpen(socket) {
        const kind = turn++ % 4
        if (kind < 2) socket.write(begin)
        else if (kind === 2) socket.write(post(context.path, read(context, 'hang!:')))
        else socket.write(upgrade(context.webSocketPath))
      },
    })
  },
}

const pipelinedUpgrades: Family = {
  number: 30,
  name: 'pipelined upgrades',
  does: '500 connections that send a call which no node answers, and behind it 20 upgrades',
  start(context) {
    const upgrades = upgrade(context.webSocketPath).repeat(20)
    return holdConnections(context, {
      count: 500,
      onOpen: (socket) =>
        void socket.write(Buffer.concat([post(context.path, read(context, 'hang!:')), Buffer.from(upgrades)])),
    })
  },
}

export const connectionFamilies: readonly Family[] = [resets, churn, manyConnections, pipelinedUpgrades]
