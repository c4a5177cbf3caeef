import { expect, it } from 'vitest'
import { blockedPorts } from '../src/blocked-port.ts'
import { createClient } from '../src/index.ts'
import { failure } from './helpers.ts'

it.each(blockedPorts)('fetch of this runtime refuses port %s as the client says', async (port) => {
  expect(await failure(fetch(`http://127.0.0.1:${port}`))).toMatchObject({ cause: { message: 'bad port' } })
})

it.each([6000, 6665, 10080])('a call to port %d fails in words, at once and only once', async (port) => {
  let retries = 0
  const client = createClient({ url: `http://127.0.0.1:${port}`, retry: { maxRetries: 3, onRetry: () => retries++ } })
  expect(await failure(client.eth.chainId())).toMatchObject({
    code: 'denied',
    delivery: 'not_sent',
    message: `127.0.0.1:${port}: fetch sends nothing to port ${port}, which the Fetch standard blocks: serve it at another port`,
  })
  expect(retries).toBe(0)
})
