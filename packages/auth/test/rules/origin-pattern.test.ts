import { expect, test } from 'vitest'
import { matchesOrigin, parseOriginPattern } from '../../src/rules/origin-pattern.ts'

const fits = (entry: string, origin: string): boolean => matchesOrigin([parseOriginPattern(entry)!], origin)

test.each([
  ['https://app.example.com', 'https://app.example.com'],
  ['https://app.example.com', 'HTTPS://App.Example.COM'],
  ['https://app.example.com:443', 'https://app.example.com'],
  ['https://app.example.com', 'https://app.example.com:443'],
  ['app.example.com', 'http://app.example.com'],
  ['app.example.com', 'https://app.example.com'],
  ['localhost:3000', 'http://localhost:3000'],
  ['http://[::1]:3000', 'http://[::1]:3000'],
  ['https://*.example.com', 'https://a.example.com'],
  ['https://*.example.com', 'https://a.b.example.com'],
  ['*.example.com:8443', 'https://a.example.com:8443'],
  ['http://*.localhost:3000', 'http://app.localhost:3000'],
  ['https://', 'https://anything.test:99'],
  ['chrome-extension://', 'chrome-extension://abcdefgh'],
])('the entry %s lets %s pass', (entry, origin) => {
  expect(fits(entry, origin)).toBe(true)
})

test.each([
  ['https://app.example.com', 'http://app.example.com'],
  ['https://app.example.com', 'https://app.example.com:8443'],
  ['https://app.example.com', 'https://app.example.com.evil.test'],
  ['https://app.example.com', 'https://evil-app.example.com'],
  ['localhost', 'http://localhost:3000'],
  ['https://*.example.com', 'https://example.com'],
  ['https://*.example.com', 'https://evilexample.com'],
  ['https://*.example.com', 'https://.example.com'],
  ['https://*.example.com', 'https://evil.test/.example.com'],
  ['https://*.example.com', 'https://evil.test#.example.com'],
  ['https://*.example.com', 'https://evil.test?a.example.com'],
  ['https://*.example.com', 'https://user@a.example.com'],
  ['https://*.example.com', 'https://a.example.com\n'],
  ['https://*.example.com', 'https://a.example.com, https://evil.test'],
  ['https://', 'http://app.example.com'],
  ['https://', 'https://'],
  ['example.com', 'null'],
  ['example.com', ''],
  ['example.com', 'example.com'],
  ['https://a.example.com', `https://${'a'.repeat(600)}`],
])('the entry %s refuses %s', (entry, origin) => {
  expect(fits(entry, origin)).toBe(false)
})

test('an entry of another form is none', () => {
  const entries = [
    '',
    '*',
    'null',
    'https://*',
    'https://a.com/',
    'https://a.com/path',
    'a b',
    'https://*.*.com',
    '*.',
    'a.*.com',
    'https://*.com',
    '*.com:8443',
  ]
  for (const entry of [
    ...entries,
    'https://münchen.example',
    'https://a.com:port',
    '://a.com',
    '*.[::1]',
    `${'a'.repeat(513)}`,
  ]) {
    expect([entry, parseOriginPattern(entry)]).toEqual([entry, undefined])
  }
})
