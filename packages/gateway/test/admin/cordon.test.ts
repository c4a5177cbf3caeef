import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { sha256Hex } from '@wayleave/auth'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createAdminListener } from '../../src/admin/listener.ts'
import { adminTokensOf } from '../../src/admin/admin-tokens.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { operatorsOf, send } from '../support.ts'

async function scene(token?: string) {
  const replicas = { areReported: true }
  const cordoned: (readonly [network: string, upstream: string, why: string | undefined])[] = []
  const server = createServer(
    createAdminListener({
      address: '127.0.0.1:0',
      metrics: createMetrics(),
      health: {} as never,
      operators: operatorsOf(adminTokensOf({ ...(token !== undefined && { token }) }, sha256Hex)),
      hosts: [],
      cordons: {
        upstreams: { mainnet: ['own', 'paid'], base: ['upstream-1'] },
        async cordon(...given) {
          cordoned.push(given)
          return replicas.areReported
        },
      },
    }),
  )
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const ask = (path: string, headers: Record<string, string> = {}, method = 'POST') =>
    send(url, path, { method, headers })
  return { cordoned, replicas, ask }
}

const own = '?network=mainnet&upstream=own'

describe('the admin listener', () => {
  it('cordons an upstream for a reason, and uncordons it', async () => {
    const { cordoned, ask } = await scene()
    expect(await ask(`/upstreams/cordon${own}&why=an%20upgrade`)).toMatchObject({
      status: 200,
      body: 'own is cordoned: an upgrade\n',
    })
    expect(await ask(`/upstreams/cordon/${own}`)).toMatchObject({ status: 200 })
    expect(await ask(`/upstreams/uncordon${own}&why=done`)).toMatchObject({ status: 200, body: 'own is in use\n' })
    expect(cordoned).toEqual([
      ['mainnet', 'own', 'an upgrade'],
      ['mainnet', 'own', 'no reason was given'],
      ['mainnet', 'own', undefined],
    ])
  })

  it('says that replicas are not told yet', async () => {
    const { replicas, ask } = await scene()
    replicas.areReported = false
    expect((await ask(`/upstreams/cordon${own}&why=an%20upgrade`)).body).toBe(
      'own is cordoned here, and in other replicas once redis works again: an upgrade\n',
    )
    expect((await ask(`/upstreams/uncordon${own}`)).body).toBe(
      'own is in use here, and in other replicas once redis works again\n',
    )
  })

  it.each([
    ['', 400, 'use /upstreams/cordon?network=<slug>&upstream=<name>&why=<reason>\n'],
    ['?network=mainnet', 400, 'use /upstreams/cordon?network=<slug>&upstream=<name>&why=<reason>\n'],
    ['?network=sepolia&upstream=own', 404, 'no such network; there are: mainnet, base\n'],
    ['?network=__proto__&upstream=own', 404, 'no such network; there are: mainnet, base\n'],
    ['?network=mainnet&upstream=upstream-1', 404, 'no such upstream of mainnet; there are: own, paid\n'],
    [`${own}&why=`, 400, 'why is 1 to 200 characters, none of them a control character\n'],
    [`${own}&why=a%0Ab`, 400, 'why is 1 to 200 characters, none of them a control character\n'],
    [`${own}&why=${'x'.repeat(201)}`, 400, 'why is 1 to 200 characters, none of them a control character\n'],
  ])('refuses %j with %d, and says what to do', async (query, status, body) => {
    const { cordoned, ask } = await scene()
    expect(await ask(`/upstreams/cordon${query}`)).toMatchObject({ status, body })
    expect(cordoned).toEqual([])
  })

  it('takes it by POST alone', async () => {
    const { cordoned, ask } = await scene()
    for (const method of ['GET', 'HEAD', 'PUT', 'OPTIONS']) {
      const { status, headers } = await ask(`/upstreams/cordon${own}`, {}, method)
      expect([status, headers['allow']]).toEqual([405, 'POST'])
    }
    expect(cordoned).toEqual([])
  })

  it('takes it from operators alone, and from no web page of elsewhere', async () => {
    const token = 'S3CR3T-admin-token'
    const { cordoned, ask } = await scene(token)
    const authorization = `Bearer ${token}`
    expect((await ask(`/upstreams/cordon${own}`)).status).toBe(401)
    expect((await ask(`/upstreams/uncordon${own}`, { authorization: 'Bearer other' })).status).toBe(401)
    expect((await ask(`/upstreams/cordon${own}`, { authorization, origin: 'https://evil.example' })).status).toBe(403)
    expect((await ask(`/upstreams/cordon${own}`, { authorization, host: 'evil.example' })).status).toBe(403)
    expect(cordoned).toEqual([])
    expect((await ask(`/upstreams/cordon${own}`, { authorization })).status).toBe(200)
  })
})
