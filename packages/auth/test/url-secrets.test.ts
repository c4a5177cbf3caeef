import { expect, it } from 'vitest'
import { secretsInUrl } from '../src/index.ts'

it.each([
  ['http://node:8545/', []],
  ['https://someone1:p%40ss@node/', ['p@ss', 'someone1']],
  ['https://me:password1@node/', ['password1']],
  ['https://node/v3/0123456789abcdef0123', ['0123456789abcdef0123']],
  ['https://node/SECRETKEY/k3y-of%2Fone', ['SECRETKEY', 'k3y-of/one']],
  ['https://node/ethereum/mainnet/v3/rpc?network=optimism', []],
  ['https://node/rpc?network=sepolia&apikey=fedcba987654', ['fedcba987654']],
  ['https://a%ZZ12345:b%ZZ@node/%ZZ123456', ['b%ZZ', 'a%ZZ12345', '%ZZ123456']],
])('the secrets of %s are %j', (url, secrets) => {
  expect(secretsInUrl(new URL(url)).filter((secret) => secret !== '')).toEqual(secrets)
})
