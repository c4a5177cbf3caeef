import { gunzipSync } from 'node:zlib'
import { expect, it } from 'vitest'
import { send } from '../support.ts'
import { files, startConsole, token } from './support.ts'

it('a page and its files come with a policy that lets nothing else in', async () => {
  const { ask, gateway, host } = await startConsole()
  expect(gateway.console).toBe(`http://${host}/console/`)
  for (const path of ['/console/', '/console/projects', '/console/projects/shop', '/console/page/main.js']) {
    const { status, headers, body } = await ask(path)
    const file = files.find(path.endsWith('.js') ? 'page/main.js' : '')!
    expect([path, status, body]).toEqual([path, 200, Buffer.from(file.body).toString()])
    expect(headers).toMatchObject({
      'content-type': file.contentType,
      'content-length': String(file.body.byteLength),
      etag: file.etag,
      'cache-control': 'no-cache',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'x-frame-options': 'DENY',
      'content-security-policy': `default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self' ${gateway.rpc}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'`,
    })
    expect(headers).not.toHaveProperty('access-control-allow-origin')
  }
})

it.each([
  ['gzip', true],
  ['br, gzip;q=0.5', true],
  ['GZIP', true],
  ['gzip;q=0', false],
  ['gzip;q=0.000', false],
  ['identity', false],
  ['x-not-gzip', false],
])('a file is compressed for Accept-Encoding: %s: %s', async (accepted, isCompressed) => {
  const { gateway } = await startConsole()
  const response = await fetch(`${gateway.admin}/console/`, { headers: { 'accept-encoding': accepted } })
  expect(response.headers.get('content-encoding')).toBe(isCompressed ? 'gzip' : null)
  expect(await response.text()).toContain('<title>Console</title>')
  const { etag, gzip } = files.find('')!
  expect(gunzipSync(gzip).byteLength).toBe(files.find('')!.body.byteLength)
  expect(response.headers.get('etag')).toBe(isCompressed ? etag.replace(/"$/, '-gzip"') : etag)
})

it('a file that the reader has already is not sent again', async () => {
  const { ask } = await startConsole()
  const { etag } = files.find('')!
  for (const [known, status] of [
    [etag, 304],
    [`W/${etag}`, 304],
    [`"other", ${etag}`, 304],
    ['*', 304],
    ['"other"', 200],
    [etag.replace(/"$/, '-gzip"'), 200],
  ] as const) {
    const answer = await ask('/console/', { headers: { 'if-none-match': known } })
    expect([known, answer.status]).toEqual([known, status])
    expect(answer.headers).toMatchObject({ etag, 'x-frame-options': 'DENY' })
    if (status === 304) expect(answer.body).toBe('')
  }
})

it('HEAD has the head of GET, and other methods are refused', async () => {
  const { ask } = await startConsole()
  const get = await ask('/console/')
  const head = await ask('/console/', { method: 'HEAD' })
  const { date: _, ...reported } = get.headers
  expect([head.status, head.body]).toEqual([200, ''])
  expect(head.headers).toMatchObject(reported)
  for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
    const { status, headers } = await ask('/console/page/main.js', { method })
    expect([method, status, headers['allow']]).toEqual([method, 405, 'GET, HEAD'])
  }
})

it('what is no file of the console is not there, whatever its path', async () => {
  const { ask } = await startConsole()
  for (const path of ['other.js', '../package.json', '%2e%2e/package.json', 'page/%6dain.js', '..', 'constructor.x']) {
    const { status, headers } = await ask(`/console/${path}`)
    expect([path, status]).toEqual([path, 404])
    expect(headers['content-security-policy']).toContain("default-src 'none'")
  }
})

it('a browser at the bare address is led to the console, and a program is not', async () => {
  const { ask } = await startConsole()
  const accept = 'text/html,application/xhtml+xml;q=0.9'
  for (const [path, headers, status] of [
    ['/', { accept }, 302],
    ['/console', {}, 302],
    ['/', {}, 401],
    ['/', { accept: '*/*', authorization: `Bearer ${token}` }, 404],
  ] as const) {
    const answer = await ask(path, { headers })
    expect([path, answer.status, answer.headers['location']]).toEqual([
      path,
      status,
      status === 302 ? '/console/' : undefined,
    ])
  }
})

it('a foreign page gets no file of the console, while a link from anywhere opens it', async () => {
  const { ask } = await startConsole()
  for (const [site, mode, destination, status] of [
    ['cross-site', 'no-cors', 'script', 403],
    ['same-site', 'cors', 'empty', 403],
    ['cross-site', 'navigate', 'iframe', 403],
    ['cross-site', 'navigate', 'document', 200],
    ['none', 'navigate', 'document', 200],
    ['same-origin', 'no-cors', 'script', 200],
  ] as const) {
    const headers = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': destination }
    expect([headers, (await ask('/console/', { headers })).status]).toEqual([headers, status])
  }
})

it('a name that a web page points here gets nothing of the console, so that no policy names it', async () => {
  const { ask } = await startConsole()
  for (const host of ['evil.example', "127.0.0.1.evil.example:8546;script-src 'unsafe-inline'", 'localhost.']) {
    const { status, headers } = await ask('/console/', { headers: { host } })
    expect([host, status]).toEqual([host, host === 'localhost.' ? 200 : 403])
    expect(headers['content-security-policy'] ?? '').not.toContain('evil')
  }
})

it('the page may ask JSON-RPC at the port of its own host, or where the configuration says', async () => {
  const { ask, gateway } = await startConsole({ token, hosts: ['ops.example'] })
  const { port } = new URL(gateway.rpc)
  for (const [host, rpc] of [
    ['localhost:8546', `http://localhost:${port}`],
    ['[::1]:8546', `http://[::1]:${port}`],
    ['ops.example', `http://ops.example:${port}`],
  ] as const) {
    const { headers } = await ask('/console/', { headers: { host } })
    expect(headers['content-security-policy']).toContain(`connect-src 'self' ${rpc};`)
  }
  const elsewhere = await startConsole({ token, publicRpc: 'https://rpc.example.org' })
  const { headers } = await elsewhere.ask('/console/')
  expect(headers['content-security-policy']).toContain("connect-src 'self' https://rpc.example.org;")
})

it('there is no console without an admin API, nor where the configuration wants none', async () => {
  const without = [
    await startConsole('none'),
    await startConsole({ token, console: false }),
    await startConsole({ token }, { console: undefined } as never),
    await startConsole({ token }, {}, { store: 'memory' }),
  ]
  for (const { gateway } of without) {
    expect(gateway.console).toBeUndefined()
    const { status } = await send(gateway.admin, '/console/', { headers: { authorization: `Bearer ${token}` } })
    expect(status).toBe(404)
  }
})

it('a reload takes the console away, and brings it back', async () => {
  const { gateway, ask, reload } = await startConsole()
  await reload({ token, console: false })
  expect([(await ask('/console/')).status, gateway.console]).toEqual([401, undefined])
  await reload({ token })
  expect((await ask('/console/')).status).toBe(200)
})
