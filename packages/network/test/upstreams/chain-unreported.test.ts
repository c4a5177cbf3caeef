import type { Candidate, ExclusionReason, SelectionCall } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { isChainUnreported } from '../../src/upstreams/chain-unreported.ts'

const call = {} as SelectionCall
const candidateOf = (name: string): Candidate => ({ endpoint: { name } }) as Candidate
const [strange, right, wrong] = ['strange', 'right', 'wrong'].map(candidateOf) as [Candidate, Candidate, Candidate]
const viewWith = (head: unknown) =>
  ({
    hasStrangers: true,
    of: ({ name }: { readonly name: string }) => ({
      chain: name === 'strange' ? 'silent' : name,
      isStrange: name === 'strange',
      head,
    }),
  }) as unknown as Parameters<typeof isChainUnreported>[2]
const view = viewWith({ number: 7, hash: '0x7' })
const selection = (candidates: readonly Candidate[], reason?: ExclusionReason) => ({ candidates, reason: () => reason })

describe('an upstream that has never told its chain', () => {
  it('is left out of a call that one of the right chain can serve', () => {
    expect(isChainUnreported(strange, call, view, selection([strange, right]))).toBe(true)
    expect(isChainUnreported(right, call, view, selection([strange, right]))).toBe(false)
  })

  it.each(['cordoned', 'group', 'cooling_down', 'needs_block'] as const)(
    'is asked where that one is out: %s',
    (reason) => {
      expect(isChainUnreported(strange, call, view, selection([strange, right], reason))).toBe(false)
    },
  )

  it('is asked as any other while it has told nothing at all, as it may be dead', () => {
    expect(isChainUnreported(strange, call, viewWith(undefined), selection([strange, right]))).toBe(false)
  })

  it('is asked beside none but those of a wrong chain', () => {
    expect(isChainUnreported(strange, call, view, selection([strange, wrong]))).toBe(false)
  })
})
