import { expect, it } from 'vitest'
import type { Admission } from '../src/admission.ts'
import type { Limits } from '../src/config/limits.ts'
import { presentParts } from '../src/present-parts.ts'
import type { Snapshot } from '../src/snapshot.ts'

/** A snapshot that takes its time to answer as `name`. */
const snapshot = (name: string, answer: object = { network: name }): Snapshot =>
  ({ admission: { admitCall: async () => answer, admit: async () => answer } }) as unknown as Snapshot

const ask = (admission: Admission): readonly unknown[] => [
  admission.admitCall({} as never, {} as never, {} as never),
  admission.admit({} as never, {} as never, {} as never),
]

it('who is admitted while another configuration comes is judged by that one', async () => {
  let present = snapshot('old')
  const { admission } = presentParts(() => present, {} as Limits)
  const asked = ask(admission)
  present = snapshot('new', { refused: 'unknown_network' })
  expect(await Promise.all(asked)).toEqual([{ refused: 'unknown_network' }, { refused: 'unknown_network' }])
})

it('who was refused stays refused, and who is judged at once is so', async () => {
  let present = snapshot('old', { refused: 'no_key' })
  const { admission } = presentParts(() => present, {} as Limits)
  const asked = ask(admission)
  present = snapshot('new')
  expect(await Promise.all(asked)).toEqual([{ refused: 'no_key' }, { refused: 'no_key' }])
  const atOnce = { admission: { admitCall: () => 1 } } as unknown as Snapshot
  expect(presentParts(() => atOnce, {} as Limits).admission.admitCall({} as never, {} as never, {} as never)).toBe(1)
})
