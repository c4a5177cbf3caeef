import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { request as openRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createAdminClient } from '@wayleave/admin-api'
import type { Config, RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { basic, key, refusedUrl, secret, startTestGateway } from '../support.ts'

const token = 'an-admin-token-of-the-tests'
const readerToken = 'a-token-that-only-reads-things'
const ipfsToken = 'a-token-for-ipfs-and-no-more'
const hashOf = (text: string): string => `sha256:${createHash('sha256').update(text).digest('hex')}`
const tokenOf = (name: string, text: string, scope: 'read' | 'ipfs') =>
  ({ name, tokenHash: hashOf(text), scopes: [scope] }) as const

let folder: string
let gateway: RunningGateway

async function open(more: Partial<Config> = {}): Promise<RunningGateway> {
  return startTestGateway([await refusedUrl()], {
    admin: { token, tokens: [tokenOf('reader', readerToken, 'read'), tokenOf('librarian', ipfsToken, 'ipfs')] },
    dataDir: folder,
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    ipfs: { backend: 'local' },
    limits: { readTimeoutMs: 300 },
    projects: [
      { name: 'demo', keys: [{ key, secret }] },
      { name: 'small', keys: [{ key: 'small-key' }], ipfs: { storedBytes: 5 } },
    ],
    ...more,
  })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-operator-ipfs-'))
  gateway = await open()
})
afterAll(async () => {
  await gateway.close(0)
  await rm(folder, { recursive: true, force: true })
})

interface Asked {
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

async function ask(
  project: string,
  command: string,
  { as = ipfsToken, method = 'POST', body }: { as?: string; method?: string; body?: FormData } = {},
): Promise<Asked> {
  const headers = as === '' ? {} : { authorization: `Bearer ${as}` }
  const url = `${gateway.admin}/admin/v1/ipfs/${project}/api/v0/${command}`
  const response = await fetch(url, { method, headers, ...(body && { body }) })
  return { status: response.status, text: await response.text(), headers: response.headers }
}

const linesOf = (text: string): readonly Record<string, unknown>[] =>
  text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

/** The form by which a page uploads a folder. */
function folderOf(files: Readonly<Record<string, string>>): FormData {
  const form = new FormData()
  for (const [path, content] of Object.entries(files)) form.append('file', new Blob([content]), path)
  return form
}

describe('the IPFS API of a project, for operators', () => {
  it('takes a folder with progress, lists its pins, reads it back and unpins it', async () => {
    const body = folderOf({ 'site/index.html': '<script>alert(1)</script>', 'site/img/logo.txt': 'logo' })
    const added = await ask('demo', 'add?progress=true&pin-name=site', { body })
    expect(added.status).toBe(200)
    const lines = linesOf(added.text)
    expect(lines.filter(({ Bytes }) => Bytes !== undefined).map(({ Name }) => Name)).toContain('site/index.html')
    const root = lines.at(-1)!
    expect(root['Name']).toBe('site')
    const client = createAdminClient({ url: gateway.admin, token: readerToken })
    const { items } = await client.pins('demo')
    expect(items).toEqual([{ cid: root['Hash'], type: 'recursive', name: 'site', bytes: expect.any(Number) }])
    const page = await ask('demo', `cat?arg=${root['Hash'] as string}/index.html`)
    expect(page.text).toBe('<script>alert(1)</script>')
    // No browser runs it at the origin of the console.
    expect(page.headers.get('content-security-policy')).toBe("sandbox; default-src 'none'")
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('x-trace-id')).toMatch(/^[0-9a-f]{32}$/)
    expect((await ask('demo', `pin/rm?arg=${root['Hash'] as string}`)).status).toBe(200)
    expect((await client.pins('demo')).items).toEqual([])
  })

  it('shows the project what it pinned for it, and no other project', async () => {
    const added = await ask('demo', 'add', { body: folderOf({ 'hello.txt': 'hello\n' }) })
    const { Hash: cid } = linesOf(added.text)[0]!
    const listed = await fetch(`${gateway.ipfs}/api/v0/pin/ls`, {
      method: 'POST',
      headers: { authorization: basic(key, secret) },
    })
    expect(Object.keys(((await listed.json()) as { Keys: object }).Keys)).toEqual([cid])
    expect(JSON.parse((await ask('small', 'pin/ls')).text)).toEqual({ Keys: {} })
    await ask('demo', `pin/rm?arg=${cid as string}`)
  })

  it('keeps to the quota of the project', async () => {
    const full = await ask('small', 'add', { body: folderOf({ 'a.txt': 'more than five bytes' }) })
    expect(full.status).toBe(403)
    expect(full.text).toContain('quota')
  })

  it('is for projects of the store, too', async () => {
    const client = createAdminClient({ url: gateway.admin, token })
    expect((await ask('stored', 'pin/ls')).status).toBe(404)
    await client.projects.create({ id: 'stored', name: 'Stored' })
    expect(JSON.parse((await ask('stored', 'pin/ls')).text)).toEqual({ Keys: {} })
  })

  it.each([
    ['no token', '', 'demo', 'POST', 401, 'unauthorized'],
    ['an unknown token', 'nobody-s-token', 'demo', 'POST', 401, 'unauthorized'],
    ['a token that only reads', readerToken, 'demo', 'POST', 403, 'forbidden'],
    ['an unknown project', ipfsToken, 'nobody', 'POST', 404, 'not_found'],
    ['another method', ipfsToken, 'demo', 'PUT', 405, 'method_not_allowed'],
  ])('refuses %s, and keeps nothing', async (_what, as, project, method, status, code) => {
    const body = folderOf({ 'kept.txt': 'kept?'.repeat(100_000) })
    const { status: answered, text, headers } = await ask(project, 'add', { as, method, body })
    expect([answered, headers.get('content-type')]).toEqual([status, 'application/problem+json'])
    expect(JSON.parse(text)).toMatchObject({ status, code })
    expect((await createAdminClient({ url: gateway.admin, token }).pins('demo')).items).toEqual([])
  })

  it('answers commands that are not there as the API does', async () => {
    expect(await ask('demo', 'shutdown')).toMatchObject({
      status: 501,
      text: expect.stringContaining('shutdown is not served here'),
    })
    // Whatever is no id of a project is no route.
    expect((await ask('a%2fb', 'version')).status).toBe(404)
  })

  it('lets an upload take longer than any other request of the listener, which is cut', async () => {
    const slowly = (path: string, type: string, parts: readonly string[]): Promise<string> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${token}`, 'content-type': type, 'transfer-encoding': 'chunked' }
        const request = openRequest(`${gateway.admin}${path}`, { method: 'POST', headers }, (response) => {
          response.setEncoding('utf8')
          let text = `${response.statusCode} `
          response.on('data', (chunk: string) => (text += chunk))
          response.on('end', () => resolve(text))
          response.on('error', reject)
        })
        request.on('error', reject)
        void (async () => {
          for (const part of parts) {
            request.write(part)
            await new Promise((next) => setTimeout(next, 200))
          }
          request.end()
        })()
      })
    const form = [
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n',
      'a',
      'b',
      'c',
      'd',
      '\r\n--b--\r\n',
    ]
    const added = await slowly('/admin/v1/ipfs/demo/api/v0/add?pin=false', 'multipart/form-data; boundary=b', form)
    expect(added).toMatch(/^200 \{"Name":"a.txt"/)
    const late = await slowly('/admin/v1/projects', 'application/json', [
      '{',
      '"id"',
      ':',
      '"x"',
      ',',
      '"name":"X"}',
    ]).catch(() => 'cut')
    expect(late).toMatch(/^408 |^cut$/)
    await expect(createAdminClient({ url: gateway.admin, token }).projects.get('x')).rejects.toMatchObject({
      code: 'not_found',
    })
  })
})

it('without IPFS, its API and its pins are 503', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'wayleave-no-ipfs-'))
  onTestFinished(() => rm(dataDir, { recursive: true }))
  const without = await startTestGateway([await refusedUrl()], { admin: { token }, dataDir })
  onTestFinished(() => without.close(0))
  await expect(createAdminClient({ url: without.admin, token }).pins('open')).rejects.toMatchObject({
    code: 'unavailable',
  })
  const response = await fetch(`${without.admin}/admin/v1/ipfs/open/api/v0/version`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
  })
  expect([response.status, await response.json()]).toMatchObject([503, { detail: expect.stringContaining('ipfs') }])
})

it('tells the methods of each kind of networks', async () => {
  const client = createAdminClient({ url: gateway.admin, token: readerToken })
  const namesOf = async (kind: 'evm' | 'rollup' | 'starknet'): Promise<readonly string[]> => {
    const { methods } = (await client.methods(kind)) as { readonly methods: readonly { readonly name: string }[] }
    return methods.map(({ name }) => name)
  }
  const [evm, rollup, starknet] = [await namesOf('evm'), await namesOf('rollup'), await namesOf('starknet')]
  expect(evm).toContain('eth_getBalance')
  expect(evm.filter((name) => /^(?:rollup|optimism)_/.test(name))).toEqual([])
  expect(rollup).toEqual(expect.arrayContaining([...evm, 'rollup_getInfo']))
  expect(starknet).toContain('starknet_getNonce')
})
