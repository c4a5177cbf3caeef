import { expect, it } from 'vitest'
import { gasHostOf } from '../src/gas/gas-host.ts'

it.each([
  [{ url: 'wss://h/below/', apiKey: 'k' }, undefined, { url: 'https://h/below', apiKey: 'k' }],
  [{ url: 'http://u:p%40ss@h', apiKey: 'k' }, undefined, { url: 'http://h', apiKey: 'k', apiKeySecret: 'p@ss' }],
  [
    { url: 'http://u:p@h', apiKey: 'k', apiKeySecret: 's' },
    'https://gas',
    { url: 'https://gas', apiKey: 'k', apiKeySecret: 's' },
  ],
  [{ url: 'http://node/v3/k' }, 'https://gas', { url: 'https://gas' }],
  [{ url: 'http://node/v3/k' }, undefined, undefined],
])('finds the gas API of a client of %j with gas({ url: %j })', (client, url, host) => {
  expect(gasHostOf({ apiKey: undefined, apiKeySecret: undefined, ...client }, url)).toEqual(host)
})
