import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { findAnvil } from '../src/anvil.ts'
import { devAccounts } from '../src/index.ts'

test('the accounts and keys are those that anvil prints', async () => {
  const anvil = spawn(findAnvil(), ['--port', '0'], { stdio: ['ignore', 'pipe', 'ignore'] })
  onTestFinished(() => void anvil.kill('SIGKILL'))
  let stdout = ''
  anvil.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text))
  while (!stdout.includes('Listening on')) await once(anvil.stdout, 'data')
  const printed = (form: RegExp): (string | undefined)[] => [...stdout.matchAll(form)].map((match) => match[1])
  expect(devAccounts.map(({ address }) => address)).toEqual(printed(/^\(\d\) (0x[0-9a-fA-F]{40}) /gm))
  expect(devAccounts.map(({ privateKey }) => privateKey)).toEqual(printed(/^\(\d\) (0x[0-9a-f]{64})$/gm))
  expect(devAccounts).toHaveLength(10)
})
