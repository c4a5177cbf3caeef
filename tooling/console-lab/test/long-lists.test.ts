import { expect, it } from 'vitest'
import { settled } from '../src/browse.ts'
import { describeConsole } from './scene.ts'

const names = Array.from({ length: 120 }, (_, i) => `entry-${String(i).padStart(3, '0')}`)

describeConsole('lists of hundreds', {}, (scene) => {
  it.each([
    {
      what: 'plans',
      path: 'projects?view=plans',
      url: /\/admin\/v1\/plans/,
      answer: { items: names.map((id) => ({ id, name: id, limits: {}, source: 'store' })) },
      table: 'Plans',
    },
    {
      what: 'methods',
      path: 'projects?project=storefront&tab=usage&range=24h',
      url: /\/admin\/v1\/usage.*by=method/,
      answer: { items: names.map((method) => ({ method, calls: 1, credits: 1 })), from: 0, to: 1, complete: true },
      table: 'Usage by method',
    },
    {
      what: 'keys',
      path: 'projects?project=storefront&tab=usage&range=24h',
      url: /\/admin\/v1\/usage.*by=key/,
      answer: { items: names.map((key) => ({ key, calls: 1, credits: 1 })), from: 0, to: 1, complete: true },
      table: 'Usage by key',
    },
    {
      what: 'filters of mainnet',
      path: 'streams',
      url: /\/admin\/v1\/streams/,
      answer: {
        items: [
          {
            network: 'mainnet',
            sockets: 1,
            eventStreams: 0,
            relays: 0,
            kinds: [],
            filters: names.map((project) => ({ project, count: 1 })),
          },
        ],
      },
      table: 'Filters of mainnet',
    },
    {
      what: 'refused calls',
      path: 'replay',
      url: /\/admin\/v1\/replay/,
      answer: {
        calls: 120,
        changes: [],
        needsRestart: [],
        problems: [],
        networks: [],
        refused: names.map((what) => ({ reason: 'method', what, calls: 1 })),
      },
      table: 'Calls that would be refused',
    },
  ])('$what: fifty rows at once, the others by the pager', async ({ what, path, url, answer, table }) => {
    const { page, faults } = await scene.open('')
    await page.route(url, (route) => route.fulfill({ json: answer }))
    await page.goto(`${scene.gateway.url}/console/${path}`)
    await settled(page)
    if (path === 'replay') await page.getByRole('button', { name: 'Replay' }).click()
    const rows = page.getByRole('table', { name: table }).locator('tbody tr')
    await expect.poll(() => rows.count()).toBe(50)
    expect(await rows.first().innerText()).toContain('entry-000')
    const pager = page.getByRole('navigation', { name: `Pages of ${what}` })
    expect(await pager.locator('span').first().innerText()).toBe('1–50 of 120')
    const next = pager.getByRole('button', { name: 'Next' })
    await next.click()
    await next.click()
    await expect.poll(() => rows.count()).toBe(20)
    expect(await rows.last().innerText()).toContain('entry-119')
    expect(faults).toEqual([])
  })
})
