import { execFile } from 'node:child_process'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { createIpfsHandler, createIpfsListener, createMemoryPinLedger } from '../../src/server/index.ts'
import { openTemp } from '../local/support.ts'

const script = fileURLToPath(new URL('as-in-a-browser.ts', import.meta.url))

it('proves directories without anything of Node', async () => {
  const handler = createIpfsHandler({ backend: await openTemp(), ledger: createMemoryPinLedger() })
  const listener = createIpfsListener(handler)
  const project = { id: 'mine', hasBillingCard: true, quota: {} }
  const server = createServer((request, response) => void listener(request, response, project))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  try {
    const run = promisify(execFile)(process.execPath, ['--conditions=@wayleave/source', script, url])
    expect((await run).stdout).toBe('proven\n')
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
