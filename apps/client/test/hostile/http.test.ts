// Each server here answers a well-formed call as no server should. The caller gets the value, or an `RpcError` that says what went
// wrong by its deadline, and never what the client is opened with.
import { type ClientOptions, createClient, RpcError } from '@wayleave/client'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  apiKey,
  apiKeySecret,
  batchCases,
  bodyCases,
  envelopeCases,
  type HttpCase,
  statusCases,
  transportCases,
} from './http-cases.ts'
import { type RawServer, startRawServer } from './raw-server.ts'
import { shownBy, spellingsOf } from './secrets-in.ts'

const cases: readonly HttpCase[] = [...transportCases, ...bodyCases, ...statusCases, ...envelopeCases, ...batchCases]
const forbidden = [apiKey, apiKeySecret].flatMap(spellingsOf)
let server: RawServer

beforeEach(async () => {
  server = await startRawServer()
})
afterEach(() => server[Symbol.asyncDispose]())

async function outcomeOf(call: Promise<unknown>, { says = '' }: HttpCase): Promise<string> {
  let thrown: unknown
  try {
    const value = await call
    expect(value).toMatch(/^0x/)
    return 'value'
  } catch (why) {
    thrown = why
  }
  if (!(thrown instanceof RpcError)) throw thrown
  const { message, code } = thrown
  if (code !== 'rpc') expect(message).toMatch(new RegExp(`^(127.0.0.1:${server.port}: |eth_\\w+( result)?: )`))
  expect(message).toMatch(says)
  expect(Buffer.byteLength(message)).toBeLessThan(1_200)
  expect(message).not.toMatch(/[\p{Cc}\p{Cf}]/u)
  const shown = shownBy(thrown)
  for (const secret of forbidden) expect(shown).not.toContain(secret)
  return code
}

describe('a server that sends', () => {
  for (const each of cases) {
    const { what, answer, outcome, batch, call, forbidden: isForbidden = false } = each
    it(`${what}: ${isForbidden ? `fetch forbids ${String(outcome)}` : String(outcome)}`, async () => {
      server.answer = answer
      const options: ClientOptions = { url: `http://127.0.0.1:${server.port}`, apiKey, apiKeySecret }
      const quick = /\btimeout\b/.test(String(outcome)) ? { timeoutMs: 300 } : {}
      await using client = createClient({
        ...options,
        ...quick,
        retry: false,
        coalesce: false,
        batch: batch !== undefined,
      })
      const calls = Array.from({ length: batch ?? 1 }, () =>
        call === undefined ? client.eth.blockNumber() : client.requestUnchecked(...call),
      )
      const found = await Promise.all(calls.map((one) => outcomeOf(one, each)))
      if (isForbidden) expect(found).toEqual(['disconnected'])
      else expect(found).toEqual([outcome].flat())
      expect(server.posts).toHaveLength(1)
      // A connection that went wrong is left; one that served may stay for the next call.
      if (/disconnected|timeout|too_large/.test(found.join())) await expect.poll(() => server.open.size).toBe(0)
    })
  }

  it('all that, in as many cases as the README says', () => {
    expect(cases).toHaveLength(70)
  })
})

it('a redirect carries nothing to another server', async () => {
  await using other = await startRawServer()
  for (const status of [301, 302, 303, 307, 308]) {
    server.answer = ({ socket }) =>
      socket.write(`HTTP/1.1 ${status} Go\r\nlocation: http://127.0.0.1:${other.port}/\r\ncontent-length: 0\r\n\r\n`)
    await using client = createClient({ url: `http://127.0.0.1:${server.port}`, apiKey, apiKeySecret, retry: false })
    await expect(client.eth.blockNumber()).rejects.toMatchObject({ code: 'http_status', httpStatus: status })
  }
  expect(other.posts).toEqual([])
})
