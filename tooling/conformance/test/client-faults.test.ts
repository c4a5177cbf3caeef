import { describe, expect, it } from 'vitest'
import { faultCases, runCase } from '../src/client-faults/run-case.ts'
import type { HttpSubject, NamedCall, OpenOptions, Subject } from '../src/client-faults/subject.ts'
import { someAddress } from '../src/client-faults/subject.ts'
import { wayleave } from '../src/client-faults/subjects/wayleave.ts'

/** Longer than a client's first attempts to come back; the command `client-faults` has an outage of 15 s. */
const outageMs = 1_500

describe('@wayleave/client', () => {
  for (const faultCase of faultCases) {
    it(`${faultCase.title} (case ${faultCase.number})`, { timeout: 120_000 }, async () => {
      expect(await runCase(faultCase, wayleave, outageMs)).toEqual({ outcome: 'pass', note: '' })
    })
  }
})

/** A client as it is soon written: it believes whatever comes. */
function openGullible(url: string, { timeoutMs = 1_000 }: OpenOptions = {}): HttpSubject {
  const request = async ({ method, params }: NamedCall): Promise<unknown> => {
    const response = await fetch(url, {
      method: 'POST',
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(timeoutMs),
    }).catch(() => {
      throw new Error(`no answer from ${url}`)
    })
    const { result, error } = (await response.json()) as { result?: unknown; error?: { message: string } }
    if (error !== undefined) throw new Error(error.message)
    return result
  }
  return {
    request,
    batch: (calls) => calls.map(request),
    getBalance: () => request({ method: 'eth_getBalance', params: [someAddress, 'latest'] }),
    estimateGas: () => request({ method: 'eth_estimateGas', params: [{ to: someAddress }] }),
    getTransaction: (hash) => request({ method: 'eth_getTransactionByHash', params: [hash] }),
    sendRawTransaction: (raw) => request({ method: 'eth_sendRawTransaction', params: [raw] }),
    close: async () => {},
  }
}

describe('the cases', () => {
  const gullible: Subject = { name: 'gullible', openHttp: openGullible, openSocket: () => expect.unreachable() }
  const noticed: Readonly<Record<number, string>> = {
    1: "it resolved with '0x2a'",
    2: 'it resolved with undefined',
    8: 'its error does not tell the date',
    9: 'its error does not tell the hour',
    11: 'a bare SyntaxError',
    12: "it resolved with '123'",
    14: 'its error tells no panic',
    15: 'it took all 64 MiB',
    16: 'it does after a reset, a timeout, a refused connection',
    17: 'it asked 10 times',
  }
  for (const { number, title, run } of faultCases.filter((each) => each.number in noticed)) {
    it(`notice a client that believes whatever comes: it ${title}, not`, { timeout: 120_000 }, async () => {
      const outcome = await runCase({ number, title, run }, gullible)
      expect(outcome).toEqual({ outcome: 'fail', note: noticed[number] })
    })
  }
})
