import { expect, test } from 'vitest'
import { ipfsCommandOf, ipfsCommands } from '../../src/server/index.ts'

test('each command is known by its path, and no other path is', () => {
  expect(ipfsCommands).toContain('pin/ls')
  expect(ipfsCommands.map((name) => ipfsCommandOf(`/api/v0/${name}`))).toEqual(ipfsCommands)
  const others = ['/api/v0/', '/api/v0/files/ls', '/api/v0/add/', '/api/v0/constructor', '/add', 'add', '']
  expect(others.map((path) => ipfsCommandOf(path))).toEqual(others.map(() => undefined))
})
