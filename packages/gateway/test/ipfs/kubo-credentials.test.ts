import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { basic, key, refusedUrl, secret, send, startNodeWith, startTestGateway } from '../support.ts'

it('the credentials of a Kubo reach no caller, in its refusals and in errors behind an answer', async () => {
  const pathKey = '0a1b2c3d4e5f60718293a4b5c6d7e8f9'
  const password = 'pa55word/of+kubo'
  const spelled = [
    pathKey,
    pathKey.toUpperCase(),
    password,
    encodeURIComponent(password),
    Buffer.from(`user:${password}`).toString('base64'),
    Buffer.from(password).toString('base64url'),
  ]
  let said = ''
  let isLate = false
  const kubo = await startNodeWith((request, response) => {
    request.resume()
    if (!isLate) {
      response.writeHead(500, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ Message: `not allowed: ${said}`, Code: 0, Type: 'error' }))
      return
    }
    response.writeHead(200, { 'content-type': 'application/octet-stream', trailer: 'X-Stream-Error' })
    response.write('x')
    response.addTrailers({ 'X-Stream-Error': `broken: ${said}` })
    response.end()
  })
  onTestFinished(() => kubo.close())
  const url = `${kubo.url.replace('//', `//user:${encodeURIComponent(password)}@`)}/v3/${pathKey}`
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-kubo-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const gateway = await startTestGateway([await refusedUrl()], {
    dataDir: folder,
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    ipfs: { backend: 'kubo', url },
    projects: [{ name: 'demo', keys: [{ key, secret }] }],
  })
  onTestFinished(() => gateway.close(0))
  const path = '/api/v0/cat?arg=QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN'
  for (const each of spelled) {
    said = each
    isLate = false
    const { body } = await send(gateway.ipfs!, path, { method: 'POST', headers: { authorization: basic(key, secret) } })
    expect(body).toContain('not allowed')
    expect(body).not.toContain(each)
    isLate = true
    const late = await send(gateway.ipfs!, path, { method: 'POST', headers: { authorization: basic(key, secret) } })
      .then(({ body: text, headers }) => text + JSON.stringify(headers))
      .catch(String)
    expect(late).not.toContain(each)
  }
})
