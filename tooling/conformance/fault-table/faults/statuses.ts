import { printAnswer, sendBody } from '../../src/client-faults/hostile-node.ts'
import { html } from '../../src/client-faults/spoil.ts'
import type { Behaviour, Fault } from '../fault.ts'

const failed = /^no upstream answered: 1 failed$/

function answers(status: number, body: string, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return { onPost: ({ response }) => sendBody(response, body, { 'content-type': 'text/plain', ...headers }, status) }
}

const page = { 'content-type': 'text/html' }

function refuses(name: string, why: string, behaviour: Behaviour, outage = failed): Fault {
  return { name, why, behaviour, alone: { outage } }
}

const keyRefused = /^no upstream (?:answered|can take this call): 1 refused our key$/
const rateLimited = /^no upstream (?:answered|can take this call): 1 rate limited$/

/** Refusals by the status of HTTP. */
export const statusFaults: readonly Fault[] = [
  refuses('redirects with 301', 'to follow would show the key in our URL to another host', {
    onPost({ calls, request, response }) {
      if (request.url === '/elsewhere') sendBody(response, printAnswer(calls[0]!, { result: '0xbad' }))
      else sendBody(response, '', { location: '/elsewhere' }, 301)
    },
  }),
  refuses(
    'answers 401',
    'our key is refused; callers have no part in it',
    answers(401, 'invalid project id\n'),
    keyRefused,
  ),
  refuses('answers 403 with a page', 'a firewall refuses us', answers(403, html, page), keyRefused),
  refuses('answers 404', 'the path of its URL is wrong; that is no missing method', answers(404, html, page)),
  refuses('answers 405', 'old providers meant a missing method by it, proxies mean an outage', answers(405, '')),
  refuses('answers 429', 'another one has no such limit', answers(429, 'slow down'), rateLimited),
  refuses(
    'answers 429 with Retry-After',
    'it is left alone for so long',
    answers(429, 'slow down', { 'retry-after': '7' }),
    rateLimited,
  ),
  refuses('answers 500', 'it may have failed before or after the call was done', answers(500, 'Internal Server Error')),
  refuses('answers 502 with a page', 'a proxy in front of it has lost it', answers(502, html, page)),
  refuses(
    'answers 503',
    'it is overloaded',
    answers(503, 'upstream connect error'),
    /^no upstream answered: 1 overloaded$/,
  ),
  refuses(
    'answers 504',
    'a proxy in front of it has waited long enough',
    answers(504, html, page),
    /^no upstream answered: 1 timed out$/,
  ),
  refuses('answers 520 with a page', 'a status that no standard has is an outage, too', answers(520, html, page)),
]
