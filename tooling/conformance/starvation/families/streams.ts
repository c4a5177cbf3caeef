import { repeatRequests } from '../attack/repeat-requests.ts'
import { holdConnections } from '../attack/hold-connections.ts'
import { frame, holdWebSockets, opcodes } from '../attack/hold-web-sockets.ts'
import { height } from '../chain.ts'
import type { Family } from '../family.ts'

/** Calls in a batch of the filter flood. */
const batchOfFilters = 50

const filterFlood: Family = {
  number: 27,
  name: 'filter flood',
  does: '32 connections that make 50 filters in a batch, poll them and remove them',
  start(context) {
    const ids: string[] = []
    const call = (method: string, param: unknown): string =>
      JSON.stringify({ jsonrpc: '2.0', id: context.next(), method, params: [param] })
    return repeatRequests(context, {
      connections: 32,
      body() {
        const known = ids.splice(0, batchOfFilters)
        if (known.length === batchOfFilters) {
          const polls = known.map((id) => call('eth_getFilterChanges', id))
          return `[${[...polls, ...known.map((id) => call('eth_uninstallFilter', id))].join()}]`
        }
        ids.push(...known)
        const addresses = Array.from({ length: 10 }, () => `0x${context.next().toString(16).padStart(40, '0')}`)
        return `[${Array.from({ length: batchOfFilters }, () => call('eth_newFilter', { address: addresses })).join()}]`
      },
      onAnswer(text) {
        for (const [, id] of text.matchAll(/"result":"(0x[\da-f]+)"/g)) ids.push(id!)
      },
    })
  },
}

const pendingTransactions: Family = {
  number: 28,
  name: 'pending transactions',
  does: '20 WebSockets with 50 subscriptions to pending transactions each, of which one half reads nothing',
  start(context) {
    const follow = (reads: boolean): ReturnType<Family['start']> =>
      holdWebSockets(context, {
        count: 10,
        reads,
        onOpen(socket) {
          for (let i = 0; i < 50; i++) {
            const params = i % 2 === 0 ? '["newPendingTransactions"]' : '["newPendingTransactions",true]'
            const call = `{"jsonrpc":"2.0","id":${context.next()},"method":"eth_subscribe","params":${params}}`
            socket.write(frame(opcodes.text, call))
          }
          context.tally('asked', 50)
        },
      })
    const attacks = [follow(true), follow(false)] as const
    return {
      async stop() {
        for (const attack of attacks) (await attack).stop()
      },
    }
  },
}

/** Blocks from which a reader has the stream resume: nearly the most. */
const missed = 9_000

const eventReaders: Family = {
  number: 29,
  name: 'event streams never read',
  does: '300 event streams that resume 9,000 blocks back and read nothing',
  start(context) {
    const from = height() - missed
    const request = `GET ${context.path}/events?type=newHeads&fromBlock=${from} HTTP/1.1\r\nHost: localhost\r\n\r\n`
    return holdConnections(context, {
      count: 300,
      perSecond: 60,
      reads: false,
      onOpen: (socket) => void socket.write(request),
    })
  },
}

export const streamFamilies: readonly Family[] = [filterFlood, pendingTransactions, eventReaders]
