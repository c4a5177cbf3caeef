import type { RunningGateway } from '@wayleave/gateway'
import { expect, it } from 'vitest'
import { readyLine, readyText } from '../src/ready.ts'

const gateway = {
  rpc: 'http://127.0.0.1:8545',
  ws: 'ws://127.0.0.1:8545',
  admin: 'http://127.0.0.1:8546',
  networks: { one: 1 },
  chainSources: {},
  perProcess: [],
} as unknown as RunningGateway
const page = 'http://127.0.0.1:8546/console/'

it('a gateway that is ready names its console to people and programs, where it has one', () => {
  const withConsole = { ...gateway, console: page }
  expect(JSON.parse(readyLine(withConsole, { apiKey: 'k' }))).toMatchObject({ console: page, apiKey: 'k' })
  expect(Object.keys(JSON.parse(readyLine(withConsole)))).toEqual([
    'event',
    'rpc',
    'ws',
    'admin',
    'console',
    'networks',
  ])
  expect(readyText(withConsole, 'a.yaml', undefined).split('\n')).toContain(`  console           ${page}`)
  expect(JSON.parse(readyLine(gateway))).not.toHaveProperty('console')
  expect(readyText(gateway, 'a.yaml', undefined)).not.toContain('console')
})
