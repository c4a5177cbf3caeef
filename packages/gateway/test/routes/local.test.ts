import { expect, it } from 'vitest'
import { isLocal } from '../../src/routes/local.ts'

it.each([
  ['127.0.0.1:8545', undefined],
  ['localhost:8545', 'http://localhost:3000'],
  ['rollup-dev.localhost:8545', 'http://127.0.0.1:5173'],
  ['[::1]:8545', 'https://app.localhost'],
])('a request to %s from %s is of this machine', (host, origin) => {
  expect(isLocal(host, origin)).toBe(true)
})

it.each([
  ['127.0.0.1:8545', 'https://evil.example'],
  ['127.0.0.1:8545', 'null'],
  ['127.0.0.1:8545', 'https://localhost.evil.example'],
  ['dev.evil.example:8545', undefined],
  ['127.0.0.1.evil.example', undefined],
  ['evil.example#.localhost', undefined],
  ['evil@localhost', undefined],
  ['localhost/evil.example', undefined],
  ['localhost', 'http://evil@localhost'],
  ['', undefined],
])('a request to %s from %s is not', (host, origin) => {
  expect(isLocal(host, origin)).toBe(false)
})
