import { setTimeout as sleep } from 'node:timers/promises'
import { printAnswer } from '../../src/client-faults/hostile-node.ts'
import type { Behaviour, Expected, Fault } from '../fault.ts'

const unreachable: Expected = { outage: /^no upstream answered: 1 unreachable$/ }

/** A connection that ends, or stays silent, when the call may have been done. */
function breaks(name: string, why: string, behaviour: Behaviour): Fault {
  return { name, why, behaviour, alone: unreachable }
}

/** One that never ends by itself. */
function hangs(name: string, why: string, onPost: Behaviour['onPost'] & {}): Fault {
  return { name, why, behaviour: { onPost }, alone: { outage: /timed out$/ }, deadlineMs: 3_000 }
}

const opening = '{"jsonrpc":"2.0","id":'
/** A TLS alert: unexpected message. */
const alert = Buffer.from('15030100020a', 'hex')

/** Connections that are not made, end or hang. */
export const connectionFaults: readonly Fault[] = [
  {
    name: 'refuses connections',
    why: 'nothing was sent, so even a transaction may go to the next one',
    behaviour: { isGone: true },
    alone: unreachable,
    movesOn: true,
    asked: 'maybe',
  },
  {
    name: 'has a name that does not resolve',
    why: 'nothing was sent',
    behaviour: { url: (port) => `http://${'n'.repeat(64)}.invalid:${port}` },
    alone: unreachable,
    movesOn: true,
    asked: 'maybe',
  },
  breaks('closes connections that it has accepted', 'a listener without a node behind it', {
    onConnection: (connection) => void connection.destroy(),
  }),
  breaks('answers with a record of TLS', 'its port speaks HTTPS, its URL does not', {
    onConnection: (connection) => void connection.once('data', () => connection.end(alert)),
  }),
  breaks('resets the connection before it answers', 'it may have done the call', {
    onPost: ({ request }) => void request.socket.resetAndDestroy(),
  }),
  breaks('resets the connection within the body', 'half an answer is none', {
    onPost({ request, response }) {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' })
      response.write(opening, () => request.socket.resetAndDestroy())
    },
  }),
  hangs('hangs before the headers', 'a read is asked elsewhere meanwhile', () => {}),
  hangs('hangs within the body', 'the status said nothing', ({ response }) => {
    response.writeHead(200, { 'content-type': 'application/json' }).write(opening)
  }),
  hangs(
    'sends a byte every 300 ms',
    'bytes are no sign that an answer will be whole in time',
    ({ calls, response }) => {
      void (async () => {
        response.writeHead(200, { 'content-type': 'application/json' })
        for (const byte of printAnswer(calls[0]!, { result: '0xbad' })) {
          if (response.destroyed) return
          response.write(byte)
          await sleep(300)
        }
        response.end()
      })()
    },
  ),
]
