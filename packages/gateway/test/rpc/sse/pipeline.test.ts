import { type RpcHandler, rawJsonFromText, rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { expect, it, onTestFinished } from 'vitest'
import { key, sleep, startNode, startTestGateway, until } from '../../support.ts'
import { createChain, createNetwork, mine, myLogs, openEvents, type ServerEvent, type ReportedLog } from './support.ts'

/** A gateway over a node that has a chain, and pushes nothing. */
async function startOver(handler: RpcHandler, verify: 'off' | 'consistent' = 'off') {
  const node = await startNode(handler)
  const gateway = await startTestGateway([], {
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], followHeads: true, verify } },
  })
  onTestFinished(async () => {
    await gateway.close(0)
    await node.close()
  })
  return { url: `${gateway.rpc}/v3/${key}/events`, gateway, node }
}

function sceneOf() {
  const chain = createChain()
  const { nodes } = createNetwork(chain)
  const handler: RpcHandler = (request, context) =>
    request.method === 'eth_chainId' ? Promise.resolve({ result: rawJsonFromText('"0x1"') }) : nodes(request, context)
  const list: ReportedLog[] = []
  const take = ({ type, data }: ServerEvent): void => {
    if (type !== 'logs') return
    const log = JSON.parse(data) as ReportedLog
    if (log.removed) expect(list.pop()).toEqual({ ...log, removed: false })
    else list.push(log)
  }
  return { chain, handler, list, take }
}

it('logs go on in the middle of a block, at another gateway over the same chain', async () => {
  const { chain, handler, list, take } = sceneOf()
  const [one, other] = [await startOver(handler), await startOver(handler)]
  const query = `?type=logs&address=${mine}`
  const first = await openEvents(`${one.url}${query}`, '', (event) => {
    take(event)
    return list.length < 2
  })
  await until(() => first.lastEventId !== '')
  chain.grow(3)
  await first.ended
  expect(list).toHaveLength(2)
  chain.grow(2)
  const second = await openEvents(`${other.url}${query}`, first.lastEventId, (event) => (take(event), true))
  await until(() => list.length === 5)
  second.leave()
  chain.reorg(2)
  const isWhole = (): boolean => JSON.stringify(list) === JSON.stringify(myLogs(chain))
  let last = second
  // A gateway that has not seen the block yet ends the stream, and has its reader come back.
  for (let tries = 0; tries < 100 && !isWhole(); tries++) {
    last = await openEvents(`${one.url}${query}`, last.lastEventId, (event) => (take(event), true))
    expect(last.response.status).toBe(200)
    for (let i = 0; i < 50 && !isWhole() && last.events.every(({ type }) => type !== 'end'); i++) await sleep(100)
    last.leave()
    await sleep(100)
  }
  last.leave()
  expect(list).toEqual(myLogs(chain))
})

it('heads go on after the last one that was told', async () => {
  const { chain, handler } = sceneOf()
  const { url } = await startOver(handler)
  const { hash } = chain.head
  const missed = [chain.grow(0), chain.grow(0)]
  const reader = await openEvents(`${url}?type=newHeads`, hash)
  await until(() => reader.events.length === 2)
  const heads = reader.events.map(({ data }) => (JSON.parse(data) as { hash: string }).hash)
  expect(heads).toEqual(missed.map((block) => block.hash))
  reader.leave()
})

it('a block from which nobody can go on is refused', async () => {
  const { handler } = sceneOf()
  const { url } = await startOver(handler)
  expect((await fetch(`${url}?type=logs&fromHash=0x${'9'.repeat(64)}`)).status).toBe(404)
  expect((await fetch(`${url}?type=logs&fromBlock=999`)).status).toBe(503)
  expect((await fetch(`${url}?type=logs&address=0x12`)).status).toBe(400)
})

it('the rest of a block is verified where answers are', async () => {
  const { chain, handler } = sceneOf()
  const { hash } = chain.grow(3)
  const forged = myLogs(chain).map((log) => ({ ...log, topics: [hash] }))
  const { url } = await startOver(
    (request, context) =>
      request.method === 'eth_getLogs'
        ? Promise.resolve({ result: rawJsonFromValue(forged) })
        : handler(request, context),
    'consistent',
  )
  const answer = await fetch(`${url}?type=logs&address=${mine}&lastEventId=${hash}:1@101`)
  expect([answer.status, await answer.text()]).toEqual([503, expect.stringContaining(`the rest of block ${hash}`)])
})
