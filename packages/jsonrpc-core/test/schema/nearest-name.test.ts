import { issues, nearestName, object, optional, secret, text } from '@wayleave/jsonrpc-core/schema'
import { describe, expect, it } from 'vitest'

describe('the nearest name', () => {
  const known = ['chainId', 'kind', 'upstreams', 'url']

  it.each([
    ['chainID', 'chainId'],
    ['chian', undefined],
    ['chaniId', 'chainId'],
    ['upstream', 'upstreams'],
    ['kinds', 'kind'],
    ['rl', undefined],
    ['URL', 'url'],
    ['x', undefined],
    ['something', undefined],
    ['u'.repeat(65), undefined],
    ['', undefined],
  ])('to %j is %j', (name, near) => {
    expect(nearestName(name, known)).toBe(near)
  })
})

describe('an unknown member', () => {
  interface Node {
    readonly url: string
    readonly weight?: string
  }
  const node = object<Node>(
    'a node',
    { url: text('a URL'), weight: optional(text('a weight')) },
    { closed: { wieght2: 'no weight of that kind' } },
  )
  const hints = (value: unknown): unknown[] => issues(secret(node), value).map(({ expected, hint }) => hint ?? expected)

  it('comes with the one that was meant', () => {
    expect(hints({ url: 'a', wieght: 'b' })).toEqual(['did you mean "weight"?'])
  })

  it('is not taken for one that is there, or for one that is refused with a reason', () => {
    expect(hints({ url: 'a', urls: 'b' })).toEqual(['one of: url, weight'])
    expect(hints({ url: 'a', wieght2: 'b' })).toEqual(['no weight of that kind'])
  })
})
