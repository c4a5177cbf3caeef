import { describe, expect, test } from 'vitest'
import type { FieldReport, Verdict } from '../src/index.ts'
import { expectMutationsRefused, mutationsOf } from './mutations.ts'

const answer = {
  hash: `0x${'ab'.repeat(32)}`,
  r: '0x0b',
  status: '0x1',
  note: 'x',
  logs: [
    { data: '0x00ff', removed: false, time: '0x5' },
    { data: '0x', removed: false, time: '0x5' },
  ],
}
const fields: FieldReport = {
  hash: 'proven',
  r: 'proven',
  status: 'consistent',
  note: 'unverifiable',
  logs: 'proven',
  'logs.*.time': 'unverifiable',
}
const pathsOf = (options?: object): string[] => [...mutationsOf(answer, fields, options)].map(({ name }) => name)
const right: Verdict = { ok: true, level: 'proven', fields }

describe('mutationsOf', () => {
  test('changes what is covered, and nothing else', () => {
    const changed = new Set([...mutationsOf(answer, fields)].map(({ path }) => path))
    expect(changed).toEqual(new Set(['', 'hash', 'r', 'status', 'logs', 'logs.*', 'logs.*.data', 'logs.*.removed']))
  })

  test('gives another answer each time, with one thing changed', () => {
    const all = [...mutationsOf(answer, fields)].map((mutation) => JSON.stringify(mutation.answer))
    expect(new Set(all).size).toBeGreaterThan(all.length * 0.9)
    expect(all).not.toContain(JSON.stringify(answer))
    expect(all).toContain(JSON.stringify({ ...answer, status: '0x2' }))
    expect(all).toContain(JSON.stringify({ ...answer, logs: answer.logs.toReversed() }))
    expect(all).toContain(JSON.stringify({ ...answer, logs: answer.logs.slice(1) }))
    const { status: _, ...without } = answer
    expect(all).toContain(JSON.stringify(without))
  })

  test('leaves spellings of the same alone: padding of some numbers, absence of some members', () => {
    expect(pathsOf()).not.toContain('r: a byte more in front')
    expect(pathsOf({ padded: [] })).toContain('r: a byte more in front')
    expect(pathsOf()).toContain('status: removed')
    const spared = pathsOf({ mayLack: ['status'] })
    for (const how of ['removed', 'null']) expect(spared).not.toContain(`status: ${how}`)
    expect(spared).toContain('status: plus one')
  })
})

describe('expectMutationsRefused', () => {
  test('counts what was refused', () => {
    const verify = (value: unknown): Verdict => (value === answer ? right : { ok: false, reason: '', field: '' })
    expect(expectMutationsRefused(answer, verify)).toBe(pathsOf().length)
  })

  test('fails for a verifier that lets one change pass', () => {
    const verify = (value: unknown): Verdict =>
      (value as Partial<typeof answer> | null)?.status === '0x2' || value === answer
        ? right
        : { ok: false, reason: '', field: '' }
    expect(() => expectMutationsRefused(answer, verify)).toThrow('status: plus one')
  })

  test('fails for a verifier that refuses what is genuine', () => {
    expect(() => expectMutationsRefused(answer, () => ({ ok: false, reason: 'no', field: 'r' }))).toThrow('r: no')
  })
})
