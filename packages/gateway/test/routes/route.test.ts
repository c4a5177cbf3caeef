import { describe, expect, it } from 'vitest'
import { parseRoute, type Route } from '../../src/routes/route.ts'

const networkOfHost = (host: string): string | undefined => (host === '' || host === 'bare' ? undefined : `of ${host}`)
const rpc = (key: string | undefined, network?: string): Route => ({ kind: 'rpc', network, key })
const ws = (key: string | undefined, network?: string): Route => ({ kind: 'ws', network, key })
const events = (key: string | undefined, network?: string): Route => ({ kind: 'events', network, key })
const gas = (key: string | undefined, path: string): Route => ({ kind: 'gas', key, path })
const speaking = (route: Route, apiVersion: string): Route => ({ ...route, apiVersion }) as Route
const lost: Route = { kind: 'lost' }

const cases: readonly (readonly [url: string, route: Route])[] = [
  ['/v3/abc', rpc('abc')],
  ['/v3/abc/', rpc('abc')],
  ['/v3', rpc(undefined)],
  ['/v3/', rpc(undefined)],
  ['/v3//', rpc(undefined)],
  ['/v3/abc?key=other&x=/v4/', rpc('abc')],
  ['/v3/abc?', rpc('abc')],
  ['/v3?abc', rpc(undefined)],
  ['/v3/a%62c', rpc('a%62c')],
  ['/v3/%2e%2e', rpc('%2e%2e')],
  ['/v3/..', rpc('..')],
  ['/v3/a;b', rpc('a;b')],
  ['/sepolia/v3/abc', rpc('abc', 'sepolia')],
  ['/sepolia/v3/abc/', rpc('abc', 'sepolia')],
  ['/Sepolia/v3/abc', rpc('abc', 'Sepolia')],
  ['/%73epolia/v3/abc', rpc('abc', '%73epolia')],
  ['/sepolia/v3', rpc(undefined, 'sepolia')],
  ['//v3/abc', { kind: 'lost' }],
  ['/__proto__/v3/abc', rpc('abc', '__proto__')],
  ['/ws/v3/abc', ws('abc')],
  ['/ws/v3/abc/', ws('abc')],
  ['/ws/v3', ws(undefined)],
  ['/sepolia/ws/v3/abc?x', ws('abc', 'sepolia')],
  ['/v3/abc/rpc/v0_8', speaking(rpc('abc'), 'v0_8')],
  ['/v3/abc/rpc/v0_8/?x', speaking(rpc('abc'), 'v0_8')],
  ['/v3//rpc/v0_8', speaking(rpc(undefined), 'v0_8')],
  ['/sn/v3/abc/rpc/v0_10', speaking(rpc('abc', 'sn'), 'v0_10')],
  ['/ws/v3/abc/rpc/v0_8', speaking(ws('abc'), 'v0_8')],
  ['/sn/ws/v3/abc/rpc/v0_8', speaking(ws('abc', 'sn'), 'v0_8')],
  ['/v3/abc/rpc/anything', speaking(rpc('abc'), 'anything')],
  ['/v3/abc/events', events('abc')],
  ['/v3/abc/events/?type=logs', events('abc')],
  ['/v3//events', events(undefined)],
  ['/sepolia/v3/abc/events?type=newHeads', events('abc', 'sepolia')],
  ['/v3/events', rpc('events')],
  ['/v3/abc/events/x', lost],
  ['/ws/v3/abc/events', lost],
  ['/v3/abc/rpc/v0_8/events', lost],
  ['/v3/abc/rpc', lost],
  ['/v3/abc/rpc/', lost],
  ['/v3/abc/rpc//', lost],
  ['/v3/abc/rpc/v0_8/x', lost],
  ['/v3/abc/v0_8', lost],
  ['/v3/abc/ws/v0_8', lost],
  ['/networks/1/suggestedGasFees', gas(undefined, '/networks/1/suggestedGasFees')],
  ['/networks/1/suggestedGasFees?x=/v3/', gas(undefined, '/networks/1/suggestedGasFees')],
  ['/networks/1/suggestedGasFees/', gas(undefined, '/networks/1/suggestedGasFees')],
  ['/networks/1/suggestedGasFees//', gas(undefined, '/networks/1/suggestedGasFees/')],
  ['/networks/', lost],
  ['/networks', lost],
  ['/v3/abc/networks/1/a/b', gas('abc', '/networks/1/a/b')],
  ['/v3//networks/1/a', gas(undefined, '/networks/1/a')],
  ['/v3/abc/networks/1/a/', gas('abc', '/networks/1/a')],
  ['/v3/abc/networks/', lost],
  ['/v3/abc/networks', lost],
  ['/v3/networks/1/a', lost],
  ['/v4/abc/networks/1/a', { kind: 'lost', version: 'v4' }],
  ['/sepolia/v3/abc/networks/1/a', lost],
  ['/sepolia/networks/1/a', lost],
  ['/ws/v3/abc/networks/1/a', lost],
  ['/gasprices/blockprices?chainid=1', gas(undefined, '/gasprices/blockprices')],
  ['/v3/abc/gasprices/blockprices', gas('abc', '/gasprices/blockprices')],
  ['/v1/supportedChainNames', gas(undefined, '/v1/supportedChainNames')],
  ['/v3/abc/v1/supportedChainNames', gas('abc', '/v1/supportedChainNames')],
  ['/v1/supportedChainNames/', gas(undefined, '/v1/supportedChainNames')],
  ['/v1/supportedChainNames/x', { kind: 'lost', version: 'v1' }],
  ['/healthz', { kind: 'healthz' }],
  ['/healthz?verbose', { kind: 'healthz' }],
  ['/readyz', { kind: 'readyz' }],
  ['/v4/abc', { kind: 'lost', version: 'v4' }],
  ['/v30/abc', { kind: 'lost', version: 'v30' }],
  ['/ws/v4/abc', { kind: 'lost', version: 'v4' }],
  ['/sepolia/v1/abc', { kind: 'lost', version: 'v1' }],
  ['/', lost],
  ['', lost],
  ['*', lost],
  ['?', lost],
  ['v3/abc', lost],
  ['/V3/abc', lost],
  ['/abc', lost],
  ['/sepolia', lost],
  ['/sepolia/abc', lost],
  ['/healthz/', lost],
  ['/healthz/x', lost],
  ['/sepolia/healthz', lost],
  ['/ws', lost],
  ['/ws/sepolia/v3/abc', lost],
  ['/ws/ws/v3/abc', lost],
  ['/v3/abc/def', lost],
  ['/v3/abc//', lost],
  ['/a/b/v3/abc', lost],
  ['/%2e%2e/v3%2fabc', lost],
  ['/../v3/abc', rpc('abc', '..')],
]

describe('a path', () => {
  it.each(cases)('%j is read for what it is', (url, route) => {
    expect(parseRoute(url, 'bare', networkOfHost)).toEqual(route)
  })

  it('takes its network from the host where it names none', () => {
    expect(parseRoute('/v3/abc', 'sepolia', networkOfHost)).toEqual(rpc('abc', 'of sepolia'))
    expect(parseRoute('/ws/v3/abc', 'sepolia', networkOfHost)).toEqual(ws('abc', 'of sepolia'))
  })

  it('names its network before the host does', () => {
    expect(parseRoute('/base/v3/abc', 'sepolia', networkOfHost)).toEqual(rpc('abc', 'base'))
  })
})

describe('a URL in absolute form', () => {
  it('is read as its path, and its authority goes before the host', () => {
    expect(parseRoute('http://base:80/v3/abc?x', 'sepolia', networkOfHost)).toEqual(rpc('abc', 'of base:80'))
    expect(parseRoute('HTTPS://base/ws/v3/abc', 'sepolia', networkOfHost)).toEqual(ws('abc', 'of base'))
  })

  it.each([
    'http://base',
    'http:///v3/abc',
    'http://:secret@base/v3/abc',
    'ftp://base/v3/abc',
    'http:/v3/abc',
    'http://base?/v3/abc',
    'http://a/http://b/v3/c',
  ])('%j leads nowhere', (url) => {
    expect(parseRoute(url, 'sepolia', networkOfHost)).toMatchObject({ kind: 'lost' })
  })
})

// In square time, none of them would end within the time of a test.
it('reads a path of megabytes in linear time', () => {
  const long = 'a'.repeat(4_000_000)
  expect(parseRoute('/'.repeat(4_000_000), 'bare', networkOfHost)).toEqual(lost)
  expect(parseRoute(`/v3/${long}`, 'bare', networkOfHost)).toEqual(rpc(long))
  expect(parseRoute(`http://${long}`, 'bare', networkOfHost)).toEqual(lost)
})
