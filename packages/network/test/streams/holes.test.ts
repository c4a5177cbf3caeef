import { describe, expect, it, onTestFinished } from 'vitest'
import { logAddress, startChainNode, testChain, type TestBlock } from '../chain-node.ts'
import { frame, openCalledNetwork } from '../callers.ts'
import { until } from '../support.ts'

const [first, end] = [1_000, 1_016]
const isEmpty = (number: number): boolean => number > 0 && number % 7 === 3
const hex = (number: number): string => `0x${number.toString(16)}`
const heights = Array.from({ length: end - first }, (_, i) => first + 1 + i).filter((number) => !isEmpty(number))
const logsOf = (numbers: readonly number[]): string[] => numbers.flatMap((number) => [`${number}.0`, `${number}.1`])
const nullRound = { error: { code: 12, message: 'requested epoch was a null round' } }

interface Reported {
  readonly number?: string
  readonly blockNumber?: string
  readonly logIndex?: string
  readonly hash?: string
}

/** A block as its height, a log as that and its index. */
const nameOf = ({ number, blockNumber, logIndex }: Reported): number | string =>
  number === undefined ? `${Number(blockNumber)}.${Number(logIndex)}` : Number(number)

/** A network over two nodes whose chain makes no block at some heights. */
async function begin(pushes: boolean, reportedBy: 'null' | 'error' = 'null') {
  const chain = testChain(first, { hasLogs: true, isEmpty })
  const nodes = [await startChainNode(chain, 1), await startChainNode(chain, 2)]
  for (const node of nodes) {
    onTestFinished(() => node.close())
    if (reportedBy === 'null') continue
    node.answer = (method, [place]) =>
      method === 'eth_getBlockByNumber' && isEmpty(Number(place)) && Number(place) <= chain.height
        ? nullRound
        : undefined
  }
  const upstreams = nodes.map(({ url, ws }, i) => ({ name: `node-${i + 1}`, url, ...(pushes && { ws }) }))
  const { network, ask, openSocket } = await openCalledNetwork({ chainId: 1, upstreams }, { random: Math.random })
  onTestFinished(() => network.close())

  async function value(method: string, params: readonly unknown[] = []): Promise<unknown> {
    const { result, error } = await ask(method, params)
    expect([method, params, error]).toEqual([method, params, undefined])
    return result
  }

  /** The names of the events of a subscription so far. */
  async function subscribe(...params: readonly unknown[]): Promise<() => (number | string)[]> {
    const socket = openSocket()
    socket.send(frame('eth_subscribe', params))
    expect(await socket.next()).toMatchObject({ result: expect.any(String) })
    return () => socket.messages.slice(1).map((text) => nameOf(JSON.parse(text).params.result))
  }

  /** Makes the next block, and waits until its nodes' head is served. */
  async function mine(): Promise<void> {
    chain.height = chain.next()
    for (const node of nodes) node.pushHead()
    for (let head = ''; head !== hex(chain.height);) {
      head = ((await value('eth_getBlockByNumber', ['latest', false])) as TestBlock).number
    }
  }

  return { chain, nodes, value, subscribe, mine }
}

describe.each([true, false])(
  'of a chain that makes no block at some heights, where nodes push heads: %s,',
  (pushes) => {
    it.each(['null', 'error'] as const)(
      'subscribers and filters are told each block once, where nodes tell an empty height by %s',
      async (reportedBy) => {
        const { value, subscribe, mine, chain } = await begin(pushes, reportedBy)
        const [heads, logs] = [await subscribe('newHeads'), await subscribe('logs', { address: logAddress })]
        const filters = [await value('eth_newBlockFilter'), await value('eth_newFilter', [{}])] as const
        const late = [await value('eth_newBlockFilter'), await value('eth_newFilter', [{}])] as const
        const poll = async (list: unknown[], id: unknown): Promise<number> =>
          list.push(...((await value('eth_getFilterChanges', [id])) as unknown[]))
        const reported: unknown[][] = [[], [], [], []]
        while (chain.height < end) {
          await mine()
          for (const i of [0, 1]) await poll(reported[i]!, filters[i])
        }
        const ids = [...filters, ...late]
        const hashes = heights.map((number) => chain.block(number).hash)
        for (const [i, id] of ids.entries()) {
          const count = i % 2 === 0 ? heights.length : 2 * heights.length
          await expect.poll(() => poll(reported[i]!, id), { timeout: 15_000 }).toBeGreaterThanOrEqual(count)
          await poll(reported[i]!, id)
        }
        await until(() => heads().length >= heights.length && logs().length >= 2 * heights.length)
        expect([heads(), logs()]).toEqual([heights, logsOf(heights)])
        for (const i of [0, 2]) expect(reported[i]).toEqual(hashes)
        for (const i of [1, 3]) expect((reported[i] as Reported[]).map(nameOf)).toEqual(logsOf(heights))
        const places = [1_003, 1_004, 1_005, 1_011].flatMap((number) => [
          [{ fromBlock: hex(number) }, heights.filter((each) => each >= number)] as const,
          [{ fromHash: chain.block(number).hash }, heights.filter((each) => each > number)] as const,
        ])
        for (const [place, expected] of places) {
          const resumed = await subscribe('newHeads', place)
          const resumedLogs = await subscribe('logs', { address: logAddress, ...place })
          await until(() => resumed().length >= expected.length && resumedLogs().length >= 2 * expected.length)
          expect([place, resumed(), resumedLogs()]).toEqual([place, expected, logsOf(expected)])
        }
      },
      60_000,
    )

    it('logs of any range come whole, where its ends are empty heights, too', async () => {
      const { value, mine, chain } = await begin(pushes)
      while (chain.height < end) await mine()
      for (let from = first; from <= end; from++) {
        for (let to = from; to <= end; to++) {
          const expected = Array.from({ length: to - from + 1 }, (_, i) => from + i).filter(
            (number) => !isEmpty(number),
          )
          const logs = (await value('eth_getLogs', [{ fromBlock: hex(from), toBlock: hex(to) }])) as Reported[]
          expect([from, to, ...logs.map(nameOf)]).toEqual([from, to, ...logsOf(expected)])
        }
      }
    }, 60_000)

    it('logs of a range that nodes take block by block come whole', async () => {
      const { value, mine, chain, nodes } = await begin(pushes)
      while (chain.height < end) await mine()
      for (const node of nodes) {
        node.answer = (method, [filter]) => {
          if (method !== 'eth_getLogs') return undefined
          const { fromBlock, toBlock } = filter as Record<string, string>
          if (fromBlock === toBlock) return undefined
          return { error: { code: -32_602, message: 'range 2 exceeds limit of 1' } }
        }
      }
      const range = { fromBlock: hex(first + 1), toBlock: hex(1_011) }
      // One of the nodes may not have told its head yet.
      await expect
        .poll(async () => ((await value('eth_getLogs', [range])) as Reported[]).map(nameOf), { timeout: 15_000 })
        .toEqual(logsOf(heights.filter((number) => number <= 1_011)))
    }, 60_000)

    it('a height without a block is null at once, and takes no upstream for one without older blocks', async () => {
      const { value, mine, chain } = await begin(pushes)
      while (chain.height < end) await mine()
      const askAll = async () => {
        for (const number of [1_011, 1_004, 1_003, 1_010, 1_005]) {
          const block = (await value('eth_getBlockByNumber', [hex(number), false])) as TestBlock | null
          expect([number, block?.number]).toEqual([number, isEmpty(number) ? undefined : hex(number)])
        }
      }
      await askAll()
      while (chain.height < end + 90) await mine()
      await askAll()
      await askAll()
    }, 60_000)
  },
)
