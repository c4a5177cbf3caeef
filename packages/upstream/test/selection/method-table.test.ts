import { createMethodFilter, createMethodTable } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'

describe('a method table', () => {
  it('finds a name before prefixes, and a longer prefix before a shorter one, without case', () => {
    const table = createMethodTable({ '*': 1, 'debug_*': 2, 'debug_trace*': 3, debug_traceCall: 4 })
    expect(['eth_call', 'debug_x', 'debug_traceBlock', 'DEBUG_traceCall'].map(table)).toEqual([1, 2, 3, 4])
  })

  it('finds nothing where nothing fits, also after very many names', () => {
    const table = createMethodTable({ eth_call: true })
    for (let i = 0; i < 2_000; i++) expect(table(`made_up${i}`)).toBeUndefined()
    expect(table('eth_call')).toBe(true)
    expect(table('constructor')).toBeUndefined()
  })
})

describe('a method filter', () => {
  it('is none where everything is allowed', () => {
    expect(createMethodFilter({})).toBeUndefined()
    expect(createMethodFilter({ deny: [] })).toBeUndefined()
  })

  it('lets what is allowed and not denied pass', () => {
    const filter = createMethodFilter({ allow: ['eth_*', 'net_version'], deny: ['eth_sign*'] })!
    expect(['eth_call', 'net_version', 'eth_signTransaction', 'net_peerCount'].map(filter)).toEqual([
      true,
      true,
      false,
      false,
    ])
    expect(createMethodFilter({ deny: ['debug_*'] })!('eth_call')).toBe(true)
    expect(createMethodFilter({ allow: [] })!('eth_call')).toBe(false)
  })
})
