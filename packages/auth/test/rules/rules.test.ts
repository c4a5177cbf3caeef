import { describe, expect, test } from 'vitest'
import { AuthError, parseRules, type RuleEntries } from '../../src/index.ts'
import { overrideRules, parseClaimRules } from '../../src/rules/rules.ts'

function refusal(parse: () => unknown): string {
  try {
    parse()
  } catch (error) {
    if (error instanceof AuthError && error.code === 'invalid_rules') return error.message
  }
  throw new Error('an AuthError "invalid_rules" was expected')
}

describe('the rules of a project', () => {
  test('an empty list passes nothing, and an absent one all', () => {
    const empty = parseRules({ methods: [], addresses: [], origins: [], userAgents: [], sources: [] })
    expect(empty).toEqual({ methods: new Set(), addresses: new Set(), origins: [], userAgents: [], sources: [] })
    expect(Object.values(parseRules({}))).toEqual([undefined, undefined, undefined, undefined, undefined])
  })

  test.each<[keyof RuleEntries, string, RegExp]>([
    ['methods', 'eth_*', /^methods\[1\]: expected the exact name of a method.*got "eth_\*"$/],
    ['addresses', '0xzz', /^addresses\[1\]: expected a contract address/],
    ['addresses', `0x${'1'.repeat(65)}`, /^addresses\[1\]/],
    ['origins', 'https://a.com/path', /^origins\[1\]: expected https:.*without a path/],
    ['userAgents', '', /^userAgents\[1\]: expected a text of 1 to 256/],
    // Nearly every User-Agent has one.
    ['userAgents', ' ', /^userAgents\[1\]: expected a text of 1 to 256/],
    ['sources', '10.0.0.0/40', /^sources\[1\]: expected an IP address or a CIDR block/],
  ])('a wrong entry of %s, %j, is named by its place', (name, entry, message) => {
    const good = { methods: 'eth_call', addresses: '0x1', origins: 'a.com', userAgents: 'curl', sources: '::1' }
    expect(refusal(() => parseRules({ [name]: [good[name], entry] }))).toMatch(message)
  })

  test.each(['methods', 'addresses', 'origins', 'userAgents', 'sources'] as const)(
    'a list of %s has at most 30 entries',
    (name) => {
      const entry = { methods: 'eth_call', addresses: '0x1', origins: 'a.com', userAgents: 'curl', sources: '::1' }[
        name
      ]
      const list = (count: number) => ({ [name]: Array.from({ length: count }, () => entry) })
      expect(parseRules(list(30))).toHaveProperty(name)
      expect(refusal(() => parseRules(list(31)))).toBe(
        `${name}: expected at most 30 entries, got 31: use another project for the rest`,
      )
    },
  )

  test('a misspelt list is refused, since it would allow all', () => {
    expect(refusal(() => parseRules({ method: ['eth_call'] } as RuleEntries))).toMatch(
      /^"method" is no allowlist: use methods/,
    )
    expect(refusal(() => parseRules({ methods: 'eth_call' } as unknown as RuleEntries))).toBe(
      'methods: expected a list of texts',
    )
    expect(refusal(() => parseRules({ methods: [1] } as unknown as RuleEntries))).toMatch(/got number$/)
  })
})

describe('the rules of a JWT', () => {
  test('come from four claims; others are not read', () => {
    const rules = parseClaimRules({ methods: ['eth_call'], user_agents: ['x'], sources: ['::1'], userAgents: ['y'] })
    expect(rules).toEqual({
      methods: new Set(['eth_call']),
      userAgents: ['x'],
      addresses: undefined,
      origins: undefined,
    })
  })

  test('an empty list allows nothing', () => {
    expect(parseClaimRules({ methods: [] }).methods).toEqual(new Set())
  })

  test('a malformed claim is refused', () => {
    for (const claims of [{ methods: 'eth_call' }, { origins: [1] }, { addresses: null }, { user_agents: [''] }]) {
      refusal(() => parseClaimRules(claims))
    }
  })

  test('each list takes the place of the same one of the project, and the others stay', () => {
    const project = parseRules({ methods: ['eth_call'], sources: ['10.0.0.0/8'] })
    const merged = overrideRules(project, parseClaimRules({ methods: ['eth_chainId'], origins: ['a.com'] }))
    expect(merged.methods).toEqual(new Set(['eth_chainId']))
    expect(merged.sources).toEqual(project.sources)
    expect(merged.origins).toHaveLength(1)
    expect(overrideRules(undefined, parseClaimRules({})).methods).toBeUndefined()
  })
})
