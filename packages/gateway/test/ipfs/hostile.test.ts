import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Config, createLog, type RunningGateway } from '@wayleave/gateway'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { basic, key, rawConnection, refusedUrl, secret, startTestGateway, until } from '../support.ts'

// Callers of the IPFS API who mean no good, or leave at the wrong moment.

let folder: string
let gateway: RunningGateway
const logged: Record<string, unknown>[] = []
const authHeader = { authorization: basic(key, secret) }
const auth = `Authorization: ${basic(key, secret)}\r\n`

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-hostile-'))
  await open()
})
afterAll(async () => {
  await gateway.close()
  await rm(folder, { recursive: true, force: true })
})
afterEach(() => void logged.splice(0))

async function open(more: Partial<Config> = {}): Promise<void> {
  const destination = { write: (line: string) => void logged.push(JSON.parse(line) as Record<string, unknown>) }
  gateway = await startTestGateway(
    [await refusedUrl()],
    {
      dataDir: folder,
      listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
      ipfs: { backend: 'local', stallMs: 60_000 },
      projects: [{ name: 'demo', keys: [{ key, secret }], ipfs: { uploadBytes: 10_000_000 } }],
      ...more,
    },
    { log: createLog({ level: 'warn', destination }) },
  )
}

const head = (command: string, headers: string): string =>
  `POST /api/v0/${command} HTTP/1.1\r\nHost: 127.0.0.1\r\n${headers}\r\n`
const upload = `${auth}Content-Type: multipart/form-data; boundary=b\r\nTransfer-Encoding: chunked\r\n`
const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`

it.each([
  ['POST', /project id required/],
  ['OPTIONS', /^HTTP\/1.1 204 /],
])('ends the connection of somebody without a key whose body of %s never ends', async (method, answer) => {
  const connection = rawConnection(gateway.ipfs!)
  connection.send(head('add', 'Transfer-Encoding: chunked\r\n').replace('POST', method))
  await connection.saw(answer)
  const trickle = setInterval(() => connection.send(chunk('more')), 20)
  await until(() => connection.ended)
  clearInterval(trickle)
  connection.socket.destroy()
})

it('begins no more than a thousand requests that come over one connection without waiting', async () => {
  const connection = rawConnection(gateway.ipfs!)
  connection.send('OPTIONS /api/v0/version HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'.repeat(1_100))
  await until(() => connection.ended || connection.text.split('HTTP/1.1 503').length > 1)
  expect(connection.text.split('HTTP/1.1 204').length - 1).toBe(1_000)
  connection.socket.destroy()
})

it('takes many calls of one connection at once without a warning of Node', async () => {
  const warnings: Error[] = []
  const onWarning = (warning: Error): void => void warnings.push(warning)
  process.on('warning', onWarning)
  const connection = rawConnection(gateway.ipfs!)
  connection.send(head('version', `${auth}Content-Length: 0\r\n`).repeat(60))
  await until(() => connection.text.split('"Version"').length > 60)
  process.off('warning', onWarning)
  expect(warnings).toEqual([])
  connection.socket.destroy()
})

it('answers requests over one connection in their order, also where the first takes longer', async () => {
  const connection = rawConnection(gateway.ipfs!)
  const form = '--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nhello\r\n--b--\r\n'
  connection.send(head('add?pin=false', `${upload}Expect: 100-continue\r\n`))
  await connection.saw(/100 Continue/)
  connection.send(`${chunk(form)}0\r\n\r\n${head('version', auth)}`)
  const text = await connection.saw(/"Version"/)
  expect(text.indexOf('"Hash"')).toBeGreaterThan(0)
  expect(text.indexOf('"Hash"')).toBeLessThan(text.indexOf('"Version"'))
  connection.socket.destroy()
})

it('refuses heads that are too long, and queries without end', async () => {
  for (const [query, status] of [
    [`cat?arg=${'Q'.repeat(1_000_000)}`, 431],
    [`pin/ls?${'arg=x&'.repeat(2_600)}`, 400],
    [`cat?arg=${'Q'.repeat(16_000)}`, 500],
  ] as const) {
    const connection = rawConnection(gateway.ipfs!)
    connection.send(head(query, `${auth}Content-Length: 0\r\n`))
    expect(await connection.saw(/\r\n\r\n/)).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    connection.socket.destroy()
  }
})

it('charges what was uploaded before a shutdown cut it off, and leaves no pin', async () => {
  const connection = rawConnection(gateway.ipfs!)
  connection.send(head('add', `${upload}Expect: 100-continue\r\n`))
  await connection.saw(/100 Continue/)
  const text = 'x'.repeat(60_000)
  connection.send(chunk(`--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n${text}`))
  // Long enough for what was sent to arrive.
  await gateway.close(200)
  await until(() => connection.ended)
  connection.socket.destroy()
  expect(logged).toEqual([])
  await open({ projects: [{ name: 'demo', keys: [{ key, secret }], ipfs: { uploadBytes: 60_500 } }] })
  const body = new FormData()
  body.append('file', new Blob(['y'.repeat(2_000)]))
  const refused = await fetch(`${gateway.ipfs}/api/v0/add`, { method: 'POST', headers: authHeader, body })
  expect([refused.status, await refused.text()]).toEqual([403, 'not allowed - transfer quota reached'])
  const pins = await fetch(`${gateway.ipfs}/api/v0/pin/ls`, { method: 'POST', headers: authHeader })
  expect(await pins.text()).toBe('{"Keys":{}}\n')
})

it('leaves nothing of an upload beyond its settings on the disk, and counts who had no turn', async () => {
  await gateway.close()
  const blocks = join(folder, 'ipfs', 'blocks')
  await rm(blocks, { recursive: true, force: true })
  await open({
    ipfs: { backend: 'local', maxCalls: 1, stallMs: 1_000 },
    projects: [{ name: 'demo', keys: [{ key, secret }], ipfs: { storedBytes: 500_000 } }],
  })
  const add = async (query: string, bytes: number): Promise<[number, string]> => {
    const body = new FormData()
    body.append('file', new Blob([Uint8Array.from({ length: bytes }, (_, at) => at % 251)]))
    const answer = await fetch(`${gateway.ipfs}/api/v0/add?${query}`, { method: 'POST', headers: authHeader, body })
    return [answer.status, await answer.text()]
  }
  expect(await add('pin=false', 600_000)).toEqual([403, 'not allowed - transfer quota reached'])
  const files = await readdir(blocks, { recursive: true })
  expect(files.filter((name) => name.endsWith('.data'))).toEqual([])

  // Whoever sends on without end keeps the project's turn; another call waits, and is told to come again.
  const endless = rawConnection(gateway.ipfs!)
  endless.send(head('add', `${upload}Expect: 100-continue\r\n`))
  await endless.saw(/100 Continue/)
  endless.send(chunk('--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n'))
  const trickle = setInterval(() => endless.send(chunk('more')), 50)
  const waiting = await fetch(`${gateway.ipfs}/api/v0/version`, { method: 'POST', headers: authHeader })
  expect([waiting.status, await waiting.text(), waiting.headers.get('retry-after')]).toEqual([
    503,
    'too many calls of the IPFS API run for this project (ipfs.maxCalls): try again later\n',
    '5',
  ])
  const metrics = await (await fetch(`${gateway.admin}/metrics`)).text()
  expect(metrics).toMatch(/wayleave_budget_refusals_total\{budget="ipfs.maxCalls",project="demo"\} 1/)
  clearInterval(trickle)
  await until(() => endless.ended)
  expect(endless.text).toContain('HTTP/1.1 408')
  expect((await add('', 100))[0]).toBe(200)
})
