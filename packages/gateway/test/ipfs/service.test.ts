import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { realSurroundings, createLog } from '@wayleave/gateway'
import { createMemoryPinLedger, type PinLedger } from '@wayleave/ipfs-http/server'
import { expect, it, onTestFinished } from 'vitest'
import { createIpfsService, type IpfsService } from '../../src/ipfs/service.ts'

const clock = realSurroundings.clock

async function serve(ledger: PinLedger): Promise<{ service: IpfsService; url: string; logged: string[] }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-ipfs-service-'))
  const logged: string[] = []
  const log = createLog({ level: 'info', destination: { write: (line) => void logged.push(line) } })
  const service = await createIpfsService({
    config: { backend: 'local' },
    dataDir,
    ledger,
    projects: [],
    clock,
    log,
    metrics: { budgetRefused() {}, ipfsCollectionFailed: () => ({ set() {}, add() {} }) },
  })
  const project = { id: 'demo' } as Parameters<IpfsService['serve']>[2]
  const server = createServer((request, response) => {
    service.serve(request, response, project, { 'X-Trace-Id': 'trace-1' }, () => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.close()
    server.closeAllConnections()
    await service.close()
    await rm(dataDir, { recursive: true, force: true })
  })
  return { service, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v0`, logged }
}

it('logs what fails inside once, under the trace id of the caller, who hears nothing of it', async () => {
  const ledger: PinLedger = { ...createMemoryPinLedger(), list: () => Promise.reject(new Error('the table is gone')) }
  const { url, logged } = await serve(ledger)
  const response = await fetch(`${url}/pin/ls?name=S3CR3T`, {
    method: 'POST',
    headers: { authorization: 'Basic S3CR3T' },
  })
  expect(await response.text()).toBe('{"Message":"internal error","Code":0,"Type":"error"}\n')
  expect(logged).toHaveLength(1)
  expect(JSON.parse(logged[0]!)).toMatchObject({
    traceId: 'trace-1',
    path: '/api/v0/pin/ls',
    project: 'demo',
    err: { message: 'the table is gone' },
  })
  expect(logged[0]).not.toContain('S3CR3T')
})

it('closes after the calls at hand have charged what they moved', async () => {
  const order: string[] = []
  const memory = createMemoryPinLedger()
  const ledger: PinLedger = {
    ...memory,
    async charge(...charged) {
      order.push('charging')
      await new Promise((resolve) => setImmediate(resolve))
      await memory.charge(...charged)
      order.push('charged')
    },
  }
  const { service, url } = await serve(ledger)
  const leaving = new AbortController()
  const body = new FormData()
  body.append('file', new Blob(['hello']))
  const upload = fetch(`${url}/add`, { method: 'POST', body, signal: leaving.signal }).catch(() => {})
  while (order.length === 0) await new Promise((resolve) => setImmediate(resolve))
  leaving.abort()
  await service.close()
  expect(order).toEqual(['charging', 'charged'])
  await upload
})
