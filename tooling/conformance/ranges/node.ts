import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { blockOf, head, printLogs, type Search } from './chain.ts'
import type { Provider, Reaction } from './providers.ts'

/** A search that reached a node. */
interface Asked {
  readonly search: Search
  readonly isRefused: boolean
  /** Whether an earlier refusal told that it would be: as many blocks for as wide a search, or results that contain refused ones; twice where it did not say why. */
  readonly isInVain: boolean
}

export interface RangeNode extends AsyncDisposable {
  readonly url: string
  readonly asked: Asked[]
}

interface Call {
  readonly id: unknown
  readonly method: string
  readonly params: readonly unknown[]
}

/** Their results are the logs of the chain, whatever they are called. */
const rangeMethods = new Set(['eth_getLogs', 'trace_filter', 'arbtrace_filter'])

const kindOf = ({ address }: Search): string => (address === undefined ? 'any' : 'address')
const lengthOf = ({ from, to }: Search): number => to - from + 1

/** Starts a node that serves the chain over HTTP within the limits of a provider; undefined: all of it. */
export async function startNode(provider: Provider | undefined): Promise<RangeNode> {
  const asked: Asked[] = []

  function isKnown(search: Search): boolean {
    const { limit } = provider!
    const reporting = asked.filter(({ isRefused, search: before }) => {
      if (!isRefused) return false
      const isContained = before.from >= search.from && before.to <= search.to && before.address === search.address
      if (limit === 'results' || limit === 'hostile') return isContained
      return isContained || (lengthOf(search) >= lengthOf(before) && kindOf(search) === kindOf(before))
    })
    // The first failure without a word may have been for anything.
    return reporting.length >= (limit === 'unsaid' ? 2 : 1)
  }

  let lastCut: Search | undefined

  /** Whether it is a call sent once more because its connection closed: the same call, and no second refusal. */
  function isRepeat(search: Search, reaction: Reaction | undefined): boolean {
    const isSame = search.from === lastCut?.from && search.to === lastCut.to && search.address === lastCut.address
    lastCut = reaction === 'cut' && !isSame ? search : undefined
    return isSame
  }

  function answerLogs(response: ServerResponse, id: unknown, filter: Readonly<Record<string, string>>): void {
    const search = { from: Number(filter['fromBlock']), to: Number(filter['toBlock']), address: filter['address'] }
    const reaction = provider?.react(search)
    if (!isRepeat(search, reaction))
      asked.push({ search, isRefused: reaction !== undefined, isInVain: reaction !== undefined && isKnown(search) })
    if (reaction === undefined)
      response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${printLogs(search)}}`)
    else react(response, id, reaction)
  }

  function react(response: ServerResponse, id: unknown, reaction: Reaction): void {
    if (reaction === 'hang') return
    if (reaction === 'cut') return void response.destroy()
    if (typeof reaction === 'string') return void response.writeHead(Number(reaction.slice('http '.length))).end()
    const { code, message, data, status = 200 } = reaction
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }))
  }

  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString()) as Call
      if (rangeMethods.has(method)) return answerLogs(response, id, params[0] as Readonly<Record<string, string>>)
      const result =
        method === 'eth_chainId'
          ? '0x1'
          : method === 'eth_getBlockByNumber'
            ? blockOf(params[0])
            : `0x${head.toString(16)}`
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
