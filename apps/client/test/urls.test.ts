import { describe, expect, it } from 'vitest'
import { targetOf } from '../src/urls.ts'

const basic = (text: string): string => `Basic ${Buffer.from(text).toString('base64')}`

describe('targetOf', () => {
  it.each([
    ['http://127.0.0.1:8545', undefined, 'http://127.0.0.1:8545/v3/k', 'ws://127.0.0.1:8545/ws/v3/k'],
    ['https://mainnet.example.org', undefined, 'https://mainnet.example.org/v3/k', 'wss://mainnet.example.org/ws/v3/k'],
    ['https://example.org/', 'sepolia', 'https://example.org/sepolia/v3/k', 'wss://example.org/sepolia/ws/v3/k'],
    ['https://example.org/below/', undefined, 'https://example.org/below/v3/k', 'wss://example.org/below/ws/v3/k'],
    [
      'https://example.org/below',
      'base',
      'https://example.org/below/base/v3/k',
      'wss://example.org/below/base/ws/v3/k',
    ],
    ['wss://example.org', undefined, 'https://example.org/v3/k', 'wss://example.org/ws/v3/k'],
    ['ws://[::1]:8545', undefined, 'http://[::1]:8545/v3/k', 'ws://[::1]:8545/ws/v3/k'],
    ['https://example.org:443/?a=b#c', undefined, 'https://example.org/v3/k', 'wss://example.org/ws/v3/k'],
  ])('takes %s as the base of a gateway where there is a key (network %s)', (url, network, http, ws) => {
    expect(targetOf({ url, apiKey: 'k', ...(network === undefined ? {} : { network }) })).toMatchObject({
      http,
      ws,
      headers: {},
    })
  })

  it.each([
    ['http://127.0.0.1:8545/', 'http'],
    ['https://node.example.org/some/path?with=query', 'http'],
    ['ws://127.0.0.1:8546/', 'ws'],
    ['wss://node.example.org/socket?with=query', 'ws'],
  ] as const)('keeps %s where there is no key', (url, kind) => {
    expect(targetOf({ url })).toEqual({ http: undefined, ws: undefined, headers: {}, [kind]: url })
  })

  it('appends a path of an API behind the key of a gateway, and to no node', () => {
    expect(targetOf({ url: 'http://h', apiKey: 'k' }, '/rpc/v0_8')).toMatchObject({
      http: 'http://h/v3/k/rpc/v0_8',
      ws: 'ws://h/ws/v3/k/rpc/v0_8',
    })
    expect(targetOf({ url: 'http://h/' }, '/rpc/v0_8')).toMatchObject({ http: 'http://h/' })
  })

  it('drops a fragment, which no request carries', () => {
    expect(targetOf({ url: 'ws://127.0.0.1:8546/#top' }).ws).toBe('ws://127.0.0.1:8546/')
  })

  it('encodes key and network, so that neither adds a path segment', () => {
    const { http, ws } = targetOf({ url: 'http://h', apiKey: 'a/b', network: '../c?' })
    expect(http).toBe('http://h/..%2Fc%3F/v3/a%2Fb')
    expect(ws).toBe('ws://h/..%2Fc%3F/ws/v3/a%2Fb')
  })

  it('sends a secret by HTTP Basic with an empty user', () => {
    expect(targetOf({ url: 'http://h', apiKey: 'k', apiKeySecret: 's:1' }).headers).toEqual({
      authorization: basic(':s:1'),
    })
  })

  it.each([
    [{ url: 'http://user:p%40ss@h/x' }, { http: 'http://h/x', ws: undefined }],
    [{ url: 'wss://user:p%40ss@h/x' }, { http: undefined, ws: 'wss://h/x' }],
    [
      { url: 'http://user:p%40ss@h', apiKey: 'k' },
      { http: 'http://h/v3/k', ws: 'ws://h/ws/v3/k' },
    ],
  ])('moves the credentials of %j into the header', (options, urls) => {
    expect(targetOf(options)).toMatchObject({ ...urls, headers: { authorization: basic('user:p@ss') } })
  })

  it('prefers the secret over the credentials of the URL', () => {
    expect(targetOf({ url: 'http://u:p@h', apiKey: 'k', apiKeySecret: 's' }).headers).toEqual({
      authorization: basic(':s'),
    })
  })

  it.each([
    [{ url: 'not a url with KEY' }, 'url: expected an http'],
    [{ url: 'ftp://host/KEY' }, 'url: expected an http'],
    [{ url: 'http://host/KEY', network: 'dev' }, 'network: needs an apiKey'],
    [{ url: 'http://host', apiKey: 'KEY', network: '..' }, 'network: expected the name'],
    [{ url: 'http://host', apiKey: 'KEY', network: '' }, 'network: expected the name'],
    [{ url: 'http://host', apiKey: '.' }, 'apiKey: expected the name'],
    [{ url: 'http://%ff:KEY@host/' }, 'percent-encoded'],
    [{ url: 'http://host', apiKey: 'KEY', apiKeySecret: 'KEY\n' }, 'control characters'],
  ])('refuses %j, and its message holds no key', (options, words) => {
    let message = ''
    try {
      targetOf(options)
    } catch (thrown) {
      message = (thrown as Error).message
    }
    expect(message).toContain(words)
    expect(message).not.toContain('KEY')
  })
})
