import { describe, expect, it } from 'vitest'
import { changesOf, nameOfAction } from '../../src/page/pages/audit-changes.ts'

describe('an entry of the audit log', () => {
  it('tells the members that were changed, set and taken away', () => {
    const before = { label: 'a', disabled: false, plan: 'free', secrets: [1] }
    const after = { label: 'b', disabled: false, limits: { perDay: 1 }, secrets: [1] }
    expect(changesOf({ before, after })).toEqual([
      { name: 'label', before: 'a', after: 'b' },
      { name: 'plan', before: 'free', after: undefined },
      { name: 'limits', before: undefined, after: '{"perDay":1}' },
    ])
  })

  it('is said in words, and as it stands where it is none that the page knows', () => {
    expect(nameOfAction('key.create')).toBe('Created key')
    expect(nameOfAction('key.add_secret')).toBe('Added a secret to key')
    expect(nameOfAction('moon.land')).toBe('moon.land')
  })
})
