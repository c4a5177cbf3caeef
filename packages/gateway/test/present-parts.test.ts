import { expect, it } from 'vitest'
import type { Admission } from '../src/admission.ts'
import { createPresentParts } from '../src/present-parts.ts'
import type { Snapshot } from '../src/snapshot.ts'

/** A snapshot that takes its time to answer as `name`. */
const snapshot = (name: string, answer: object = { network: name }): Snapshot =>
  ({
    admission: { admitCall: async () => answer, admit: async () => answer, route: () => name },
    limits: { maxBatch: name.length },
    timeouts: { longestMs: name.length },
    gas: { find: () => name },
  }) as unknown as Snapshot

const ask = (admission: Admission): readonly unknown[] => [
  admission.admitCall({} as never, {} as never, {} as never),
  admission.admit({} as never, {} as never, {} as never),
]

it('who is admitted while another configuration comes is judged by that one', async () => {
  const { parts, renew } = createPresentParts(snapshot('old'))
  const asked = ask(parts.admission)
  renew(snapshot('new', { refused: 'unknown_network' }))
  expect(await Promise.all(asked)).toEqual([{ refused: 'unknown_network' }, { refused: 'unknown_network' }])
})

it('who was refused stays refused, and who is judged at once is so', async () => {
  const { parts, renew } = createPresentParts(snapshot('old', { refused: 'no_key' }))
  const asked = ask(parts.admission)
  renew(snapshot('new'))
  expect(await Promise.all(asked)).toEqual([{ refused: 'no_key' }, { refused: 'no_key' }])
  renew({ ...snapshot('newer'), admission: { admitCall: () => 1 } as unknown as Admission })
  expect(parts.admission.admitCall({} as never, {} as never, {} as never)).toBe(1)
})

it('limits, waits, routes and gas fees are those of the last configuration in the objects that listeners hold', () => {
  const { parts, renew } = createPresentParts(snapshot('old'))
  const { limits, timeouts, admission, gas } = parts
  renew(snapshot('newest'))
  expect([limits.maxBatch, timeouts.longestMs]).toEqual([6, 6])
  expect([admission.route('', {} as never), gas.find('', '')]).toEqual(['newest', 'newest'])
})
