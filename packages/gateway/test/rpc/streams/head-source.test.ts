import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import type { ChainView, HeadUpdate } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import { headSource } from '../../../src/rpc/streams/head-source.ts'

function begin({ hasHeaders = true, hasReplicas = true } = {}) {
  const waits: (() => void)[] = []
  let tell: (update: HeadUpdate) => void = () => {}
  let isWatched = false
  const view = {
    watch(listener: typeof tell) {
      tell = listener
      isWatched = true
      return () => void (isWatched = false)
    },
  } as unknown as ChainView
  const tellHead = () => (hasReplicas ? new Promise<void>((resolve) => waits.push(resolve)) : undefined)
  const got: (readonly [kind: string, number: number, hasHeader: boolean])[] = []
  const leave = headSource(view, { tellHead, hasHeaders }).watch(({ kind, at, header }) => {
    got.push([kind, at.number, header !== undefined])
  })
  return {
    got,
    leave,
    isWatched: () => isWatched,
    tell: (kind: HeadUpdate['kind'], number: number) =>
      tell({ kind, at: { number, hash: `0x${number}` }, header: rawJsonFromValue({ number }) }),
    async settle() {
      for (const resolve of waits.splice(0)) resolve()
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

it('passes heads on at once where there are no replicas', () => {
  const { got, tell } = begin({ hasReplicas: false })
  tell('new', 7)
  tell('dropped', 7)
  expect(got).toEqual([
    ['new', 7, true],
    ['dropped', 7, true],
  ])
})

it('holds heads, and what follows them, until all replicas know them; after its end it passes nothing on', async () => {
  const { got, tell, settle, leave, isWatched } = begin()
  tell('new', 7)
  tell('dropped', 7)
  tell('new', 8)
  expect(got).toEqual([])
  await settle()
  expect(got.map(([kind, number]) => `${kind} ${number}`)).toEqual(['new 7', 'dropped 7', 'new 8'])
  tell('new', 9)
  leave()
  await settle()
  expect([got.length, isWatched()]).toEqual([3, false])
})

it('keeps back headers of upstreams that may not be asked', () => {
  const { got, tell } = begin({ hasReplicas: false, hasHeaders: false })
  tell('new', 7)
  expect(got).toEqual([['new', 7, false]])
})
