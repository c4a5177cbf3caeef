import type { Block } from '@wayleave/evm-types'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { RpcError } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { createPatience } from '../../src/watch/patience.ts'
import { pollChain } from '../../src/watch/poll-chain.ts'
import type { Client } from '../../src/index.ts'
import { failure } from '../helpers.ts'

/** A node whose chain is a list of names, such as `a b c`; a block is named once and for all. */
function serve(): { readonly client: Pick<Client, 'eth'>; set(chain: string): void; failing: boolean } {
  const blocks = new Map<string, Block>()
  let head = ''
  const peer = {
    failing: false,
    set(chain: string): void {
      for (const [height, name] of chain.split(' ').entries()) {
        const parentHash = height === 0 ? 'none' : chain.split(' ')[height - 1]!
        const number = `0x${height.toString(16)}`
        if (!blocks.has(name)) blocks.set(name, { hash: name, parentHash, number } as unknown as Block)
        head = name
      }
    },
    client: {
      eth: {
        async getBlockByNumber() {
          if (peer.failing) throw new RpcError('connect', 'away')
          return blocks.get(head) ?? null
        },
        getBlockByHash: async (hash: string) => blocks.get(hash) ?? null,
      } as unknown as Client['eth'],
    },
  }
  return peer
}

const instant = { pause: async () => {}, ask: <T>(question: () => Promise<T>): Promise<T> => question() }

it('polls yield each missed block, and after a reorg those that it replaced, the newest first', async () => {
  const node = serve()
  node.set('a b')
  const steps = pollChain(node.client, {
    ...instant,
    pause: async () => node.set(next.shift() ?? 'a b x y z'),
  })
  const next = ['a b c d', 'a b c', 'a b x y', 'a b x y']
  const seen: unknown[] = []
  for await (const { removed, added } of steps) {
    seen.push([removed.map(({ hash }) => hash), added.hash])
    if (added.hash === ('z' as string)) break
  }
  expect(seen).toEqual([
    [[], 'c'],
    [[], 'd'],
    [['d', 'c'], 'x'],
    [[], 'y'],
    [[], 'z'],
  ])
})

it('polls fail where a reorg is deeper than what they remember', async () => {
  const node = serve()
  node.set('a b')
  const steps = pollChain(node.client, { ...instant, pause: async () => node.set('x y z') })
  expect(await failure(steps.next())).toMatchObject({ code: 'too_large' })
})

it('a question that fails is asked again, and its failure thrown once 30 s have passed', async () => {
  const clock = new FakeClock()
  const patience = createPatience({}, clock)
  let asked = 0
  const asking = failure(
    patience.ask(async () => {
      asked++
      throw new RpcError('connect', 'away')
    }),
  )
  for (let i = 0; i < 8; i++) {
    await expect.poll(() => asked).toBe(i + 1)
    clock.advance(4_000)
  }
  expect(await asking).toMatchObject({ code: 'connect' })
  expect(asked).toBe(9)
  const denied = patience.ask(async () => {
    throw new RpcError('denied', 'no')
  })
  expect(await failure(denied)).toMatchObject({ code: 'denied' })
})
