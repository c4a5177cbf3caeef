import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import type { ChainView, HeadUpdate } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import { headSource } from '../../src/streams/head-source.ts'

function begin({ hasHeaders = true, hasReplicas = true } = {}) {
  const clock = new FakeClock()
  const waits: { readonly resolve: () => void; readonly reject: (why: Error) => void }[] = []
  let report: (update: HeadUpdate) => void = () => {}
  let isWatched = false
  const view = {
    watch(listener: typeof report) {
      report = listener
      isWatched = true
      return () => void (isWatched = false)
    },
  } as unknown as ChainView
  const reportHead = () =>
    hasReplicas ? new Promise<void>((resolve, reject) => waits.push({ resolve, reject })) : undefined
  const got: (readonly [kind: string, number: number, hasHeader: boolean])[] = []
  const leave = headSource(view, { reportHead, passes: () => hasHeaders, clock }).watch(({ kind, at, header }) => {
    got.push([kind, at.number, header !== undefined])
  })
  return {
    got,
    leave,
    isWatched: () => isWatched,
    report: (kind: HeadUpdate['kind'], number: number) =>
      report({ kind, at: { number, hash: `0x${number}` }, header: rawJsonFromValue({ number }) }),
    clock,
    async settle(how: 'resolve' | 'reject' | 'hang' = 'resolve') {
      for (const each of waits.splice(0)) if (how !== 'hang') each[how](new Error('the store is gone'))
      await new Promise((resolve) => setImmediate(resolve))
    },
  }
}

it('passes heads on at once where there are no replicas', () => {
  const { got, report } = begin({ hasReplicas: false })
  report('new', 7)
  report('dropped', 7)
  expect(got).toEqual([
    ['new', 7, true],
    ['dropped', 7, true],
  ])
})

it('holds heads, and what follows them, until all replicas know them; after its end it passes nothing on', async () => {
  const { got, report, settle, leave, isWatched } = begin()
  report('new', 7)
  report('dropped', 7)
  report('new', 8)
  expect(got).toEqual([])
  await settle()
  expect(got.map(([kind, number]) => `${kind} ${number}`)).toEqual(['new 7', 'dropped 7', 'new 8'])
  report('new', 9)
  leave()
  await settle()
  expect([got.length, isWatched()]).toEqual([3, false])
})

it.each(['reject', 'hang'] as const)('passes heads on after a second where replicas %s', async (how) => {
  const { clock, got, report, settle } = begin()
  report('new', 7)
  clock.advance(999)
  await settle(how)
  expect(got).toHaveLength(how === 'reject' ? 1 : 0)
  clock.advance(1)
  await settle()
  expect(got).toHaveLength(1)
  report('new', 8)
  await settle()
  expect(got.map(([, number]) => number)).toEqual([7, 8])
  expect(clock.timers).toBe(0)
})

it('keeps back headers of upstreams that may not be asked', () => {
  const { got, report } = begin({ hasReplicas: false, hasHeaders: false })
  report('new', 7)
  expect(got).toEqual([['new', 7, false]])
})
