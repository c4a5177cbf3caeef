import { createContext, rawJsonFromText, type RpcHandler } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { composeStages, type Stage } from '../../src/kinds/stage.ts'
import { call } from '../support.ts'

/** A stage that notes its name, and how often it was applied. */
function noting(
  notes: string[],
  name: string,
  methods?: readonly string[],
): Stage & { readonly applied: () => number } {
  let applied = 0
  return {
    name,
    methods,
    applied: () => applied,
    apply(next) {
      applied++
      return (request, context) => {
        notes.push(name)
        return next(request, context)
      }
    },
  }
}

const wayOf = async (stages: (notes: string[]) => readonly Stage[], method: string): Promise<string> => {
  const notes: string[] = []
  const last: RpcHandler = async () => ({ result: rawJsonFromText(`"${notes.join(' ')}"`) })
  const context = createContext()
  await composeStages(stages(notes), last)(call(method), context)
  context.release()
  return notes.join(' ')
}

describe('a call through composed stages', () => {
  const stages = (notes: string[]): readonly Stage[] => [
    noting(notes, 'first'),
    noting(notes, 'a', ['x', 'y']),
    noting(notes, 'b', ['y', 'z']),
    noting(notes, 'middle'),
    noting(notes, 'c', ['y']),
    noting(notes, 'last'),
  ]

  it.each([
    ['x', 'first a middle last'],
    ['y', 'first a b middle c last'],
    ['z', 'first b middle last'],
    ['unknown', 'first middle last'],
    ['constructor', 'first middle last'],
  ])('of the method %s passes %s, in the order of the list', async (method, way) => {
    expect(await wayOf(stages, method)).toBe(way)
  })

  it('reaches the handler itself, with the same request and context, where no stage is for its method', async () => {
    const seen: unknown[] = []
    const last: RpcHandler = async (...asked) => {
      seen.push(...asked)
      return { result: rawJsonFromText('1') }
    }
    const context = createContext()
    const request = call('other')
    await composeStages([noting([], 'a', ['x'])], last)(request, context)
    context.release()
    expect(seen).toEqual([request, context])
    expect(composeStages([], last)).toBe(last)
  })

  it('of any method that a stage is for passes one and the same instance of it', async () => {
    const notes: string[] = []
    const stage = noting(notes, 'a', ['x', 'y'])
    const handler = composeStages([stage, noting(notes, 'b', ['y'])], async () => ({ result: rawJsonFromText('1') }))
    const context = createContext()
    for (const method of ['x', 'y', 'x']) await handler(call(method), context)
    context.release()
    expect(stage.applied()).toBe(1)
    expect(notes).toEqual(['a', 'a', 'b', 'a'])
  })

  it('that a stage sends on under another method passes the stages of that method below', async () => {
    const notes: string[] = []
    const renamed: Stage = {
      name: 'rename',
      methods: ['old'],
      apply: (next) => (request, context) => next({ ...request, method: 'new' }, context),
    }
    const context = createContext()
    const handler = composeStages(
      [renamed, noting(notes, 'new', ['new']), noting(notes, 'old', ['old'])],
      async () => ({
        result: rawJsonFromText('1'),
      }),
    )
    await handler(call('old'), context)
    context.release()
    expect(notes).toEqual(['new'])
  })
})
