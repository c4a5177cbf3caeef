import { createContext, isStream, rawJsonFromText, rawJsonFromValue, type RpcError } from '@wayleave/jsonrpc-core'
import { expect, test } from 'vitest'
import { type LongCheck, runCheck, verification, verify } from '../src/index.ts'

const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
const logs = Array.from({ length: 400 }, (_, i) => ({
  address: `0x${'ab'.repeat(20)}`,
  topics: [word(i)],
  data: '0x',
  blockNumber: `0x${(16 + (i >> 3)).toString(16)}`,
  transactionHash: word(i),
  transactionIndex: '0x0',
  blockHash: word(16 + (i >> 3)),
  logIndex: `0x${(i & 7).toString(16)}`,
  removed: false,
}))

/** Asks for all of the range, over a node that answers `text`. */
function ask(text: string, sent: LongCheck[] = []) {
  const handler = verify({
    require: 'consistent',
    async offload(check) {
      sent.push(structuredClone(check))
      return runCheck(check)
    },
  })(async () => ({ result: rawJsonFromText(text) }))
  const params = rawJsonFromValue([{ fromBlock: '0x10', toBlock: '0x50' }])
  return handler({ method: 'eth_getLogs', params, notification: false }, createContext())
}
const why = (text: string): Promise<string> =>
  ask(text).then(
    () => 'it resolved',
    (thrown: RpcError) => thrown.message,
  )

test('long lists of logs are checked elsewhere, as a text, and pass byte for byte', async () => {
  const sent: LongCheck[] = []
  const text = JSON.stringify(logs, undefined, 1)
  const { result, meta } = await ask(text, sent)
  expect(sent.map(({ check, answer }) => [check, answer === text])).toEqual([['logText', true]])
  expect(result === undefined || isStream(result) || result.text()).toBe(text)
  expect(verification.of(meta)).toMatchObject({ level: 'consistent', fields: { '*.address': 'unverifiable' } })
})

test('short ones are checked at once', async () => {
  const sent: LongCheck[] = []
  expect(verification.of((await ask(JSON.stringify(logs.slice(0, 9)), sent)).meta)?.level).toBe('consistent')
  expect(sent).toEqual([])
})

test.each([
  ['a log of another range', (text: string) => text.replace('"0x2f"', '"0xff"'), 'is not in the range'],
  ['logs out of order', (text: string) => text.replace('"logIndex":"0x5"', '"logIndex":"0x7"'), 'not in the order'],
  ['a log of the wrong form', (text: string) => text.replace('"data":"0x"', '"data":7'), 'data: expected'],
  ['a member twice', (text: string) => text.replace('"data":"0x"', '"data":"0x","data":"0x"'), 'a member stands twice'],
  ['one name in other case', (text: string) => text.replace('"data":"0x"', '"data":"0x","Data":"0x"'), 'in other case'],
  ['no list', (text: string) => `{"logs":${text}}`, 'the logs: expected'],
])('%s is refused, in a long list as in a short one', async (_, change, words) => {
  expect(await why(change(JSON.stringify(logs)))).toContain(words)
})
