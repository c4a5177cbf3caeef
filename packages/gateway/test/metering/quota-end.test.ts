import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createApiKey } from '@wayleave/auth'
import type { Config } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { frame, send, startNode, until } from '../support.ts'
import { isMissing, type Kind, kinds, startAs } from './processes.ts'

/** A large quota is spent in few calls, as each is dear. */
const priceOf = (credits: number): number => (credits < 100_000 ? 80 : 800)

/** Starts a receiver of webhooks that notes the marks that it receives. */
async function startReceiver() {
  const marks: number[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (chunk: Buffer) => (body += chunk.toString()))
    request.on('end', () => {
      marks.push((JSON.parse(body) as { data: { mark: number } }).data.mark)
      response.end()
    })
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { marks, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook` }
}

/** Starts the processes of a kind, with two projects of a quota each. */
async function begin(kind: Kind, credits: number) {
  const node = await startNode(async () => ({ result: rawJsonFromValue('0x1') }))
  onTestFinished(() => node.close())
  const receiver = await startReceiver()
  const keys = [createApiKey(), createApiKey()] as const
  const { gateways, fullMarks } = await startAs(kind, {
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: false } },
    listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
    plans: { day: { perDay: { credits } } },
    prices: { evm: { eth_getBalance: priceOf(credits) } },
    projects: keys.map((key, i) => ({ name: `shop ${i}`, plan: 'day', keys: [{ key }] })),
    webhook: { url: receiver.url, secret: 'a-secret-of-the-receiver' },
  } as Partial<Config>)
  let calls = 0
  const asking = (key: string) => async (): Promise<number> => {
    const { rpc } = gateways[calls++ % gateways.length]!
    return (await send(rpc, `/v3/${key}`, { body: frame('eth_getBalance') })).status
  }
  return { ask: asking(keys[0]), askOther: asking(keys[1]), receiver, fullMarks }
}

const cases = kinds.flatMap((kind) => [100, 1_000, 10_000, 100_000].map((credits) => ({ kind, credits })))

/** A row of the table that `--reporter=verbose` prints. */
function row(kind: Kind, credits: number, spent: number, marks: readonly number[], counted: number): string {
  return `${kind}: ${spent} of ${credits} credits; webhook ${marks.join(', ')}; metric of mark 100: ${counted}`
}

describe.each(cases)('a quota of $credits credits at $kind', { timeout: 60_000 }, ({ kind, credits }) => {
  it.skipIf(isMissing(kind))(
    'is spent to its last call, by one caller and by many at once, and its first refusal is reported once, by webhook and metric',
    async ({ annotate }) => {
      const price = priceOf(credits)
      const { ask, askOther, receiver, fullMarks } = await begin(kind, credits)
      async function expectEnd(spent: number): Promise<void> {
        expect(credits - spent).toBeLessThan(price)
        expect(spent).toBeLessThanOrEqual(credits)
        await annotate(row(kind, credits, spent, receiver.marks, await fullMarks()))
      }

      let spent = 0
      while ((await ask()) === 200) spent += price
      await until(() => receiver.marks.length === 3)
      expect(receiver.marks).toEqual([75, 85, 100])
      expect(await fullMarks()).toBe(1)
      for (let i = 0; i < 5; i++) expect(await ask()).toBe(402)
      expect([receiver.marks.length, await fullMarks()]).toEqual([3, 1])
      await expectEnd(spent)

      let spentByMany = 0
      const caller = async (): Promise<void> => {
        for (let refused = 0; refused < 5;) {
          const status = await askOther()
          if (status === 200) spentByMany += price
          else refused++
        }
      }
      await Promise.all(Array.from({ length: 8 }, caller))
      await until(() => receiver.marks.length === 6)
      expect(receiver.marks.slice(3).toSorted((a, b) => a - b)).toEqual([75, 85, 100])
      expect(await fullMarks()).toBe(2)
      await expectEnd(spentByMany)
    },
  )
})
