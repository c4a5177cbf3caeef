import { printAnswer, type ReceivedCall, sendBody } from '../../src/client-faults/hostile-node.ts'
import { html } from '../../src/client-faults/spoil.ts'
import type { Fault } from '../fault.ts'

const outage = /^no upstream answered: 1 failed$/

/** An answer with status 200 that is none. */
function sends(
  name: string,
  why: string,
  bodyOf: (call: ReceivedCall) => string | Buffer,
  headers: Readonly<Record<string, string>> = {},
): Fault {
  return {
    name,
    why,
    behaviour: {
      onPost({ calls, isBatch, response }) {
        const bodies = calls.map(bodyOf)
        sendBody(response, isBatch && typeof bodies[0] === 'string' ? `[${bodies.join(',')}]` : bodies[0]!, headers)
      },
    },
    alone: { outage },
  }
}

const wrong = { result: '0xbad' }

/** Answers that cannot be read, or are not those of the call. */
export const bodyFaults: readonly Fault[] = [
  sends('sends a page with 200', 'a login of a hotel is no answer', () => html, { 'content-type': 'text/html' }),
  sends('sends nothing with 200', 'an empty answer is not null', () => ''),
  sends('breaks JSON off', 'half a number is another number', (call) => printAnswer(call, wrong).slice(0, -3)),
  sends(
    'calls bytes gzip that are none',
    'what cannot be unpacked is not guessed',
    () => Buffer.from('1f8b0800deadbeef', 'hex'),
    { 'content-encoding': 'gzip' },
  ),
  sends("answers another call's id", 'the answer belongs to somebody else', ({ id }) =>
    printAnswer({ id: Number(id) + 1 }, wrong),
  ),
  sends('leaves "jsonrpc" out', 'whatever answers there speaks another protocol', ({ id }) =>
    JSON.stringify({ id, ...wrong }),
  ),
  sends('sends result and error', 'one of the two is false', (call) =>
    printAnswer(call, { ...wrong, error: { code: -32000, message: 'no' } }),
  ),
  sends(
    'answers one call with a list',
    'the list may be of another request',
    (call) => `[${printAnswer(call, wrong)}]`,
  ),
]
