import axe from 'axe-core'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { openPage, settled, signedIn } from '../src/browse.ts'
import { startStandIn } from '../src/stand-in.ts'
import { describeConsole } from './scene.ts'

const pages = [
  '?range=1h',
  'networks',
  'projects',
  'projects?view=plans',
  'projects?project=storefront',
  'projects?project=storefront&tab=usage&range=24h',
  'projects?project=storefront&tab=rules',
  'projects?project=storefront&tab=limits',
  'projects?project=storefront&tab=access',
  'projects?project=storefront&tab=settings',
  'projects?project=storefront&key=web',
  'inspector',
  'gas',
  'ipfs?project=storefront',
  'streams',
  'replay',
  'try?network=mainnet&method=eth_call',
  'audit',
  'nothing',
]

const themes = ['light', 'dark'] as const

/** Runs axe in both themes, which are two looks of one document, and prints what it finds. */
async function violations(page: Page): Promise<readonly string[]> {
  await page.evaluate(axe.source)
  const found: string[] = []
  for (const theme of themes) {
    await page.emulateMedia({ colorScheme: theme })
    found.push(...(await violationsNow(page)).map((each) => `${theme}: ${each}`))
  }
  await page.emulateMedia({ colorScheme: themes[0] })
  return found
}

function violationsNow(page: Page): Promise<readonly string[]> {
  return page.evaluate(async () => {
    const { axe: own } = globalThis as unknown as { readonly axe: typeof axe }
    const { violations: found } = await own.run(document, { resultTypes: ['violations'] })
    return found.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary}`),
    )
  })
}

describeConsole('axe finds nothing wrong in light and in dark', {}, (scene) => {
  it.each([1280, 400])('on any page, %d px wide, and none is wider than that', { timeout: 180_000 }, async (width) => {
    const { page, go } = await scene.open('', { width })
    const found: string[] = []
    for (const path of pages) {
      await go(path)
      if (path === 'inspector') await page.locator('.tail-row').first().waitFor()
      const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (over > 0) found.push(`${path} is ${over} px too wide`)
      found.push(...(await violations(page)).map((each) => `${path}: ${each}`))
    }
    expect(found).toEqual([])
  })

  it('in dialogs, drawers, toasts, tables of charts and lists of choices', { timeout: 90_000 }, async () => {
    const { page, go } = await scene.open('?range=1h')
    const found: string[] = []
    const check = async (what: string): Promise<void> => {
      found.push(...(await violations(page)).map((each) => `${what}: ${each}`))
    }
    await page.getByRole('button', { name: 'As table: Latency of calls' }).click()
    await check('a table of a chart')
    await go('networks')
    await page.getByRole('button', { name: 'Cordon own-1 of mainnet' }).click()
    await check('a dialog')
    await page.keyboard.press('Enter')
    await page.locator('.toast').waitFor()
    await check('a toast')
    await page.getByRole('button', { name: 'Cordon own-2 of mainnet' }).click()
    await check('a toast over a dialog')
    await page.keyboard.press('Escape')
    // The toast, with its undo, may be gone by now.
    await page.getByRole('button', { name: 'Use again: own-1 of mainnet' }).click()
    await page.getByRole('button', { name: 'Cordon own-1 of mainnet' }).waitFor()
    await go('projects?project=indexer&new=key')
    await page.getByLabel('Label', { exact: true }).fill('axe')
    await page.getByRole('button', { name: 'Create key' }).click()
    await page.getByLabel('The new key').waitFor()
    await check('a key that is shown once')
    await go('try?network=mainnet')
    await page.getByRole('combobox', { name: 'Method' }).click()
    await check('a list of methods')
    await go('inspector')
    await page.locator('.tail-row').first().click()
    await page.locator('.details').waitFor()
    await check('a call')
    await page.setViewportSize({ width: 400, height: 800 })
    await go('')
    await page.getByRole('button', { name: 'Open navigation' }).click()
    await check('the drawer')
    await page.close()
    expect(found).toEqual([])
  })

  it('on the page to sign in, also with an error', async () => {
    const page = await scene.browser.newPage()
    await page.goto(`${scene.gateway.url}/console/`)
    await page.getByLabel('Admin token').fill('wrong')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').waitFor()
    expect(await violations(page)).toEqual([])
    await page.context().close()
  })

  it('where somebody has to sign in again', async () => {
    await using gateway = await startStandIn({ isUnused: true })
    const context = await signedIn(scene.browser, gateway.url)
    const { page } = await openPage(context, gateway.url, 'networks')
    await page.getByRole('button', { name: 'Cordon own-1 of mainnet' }).click()
    gateway.endSessions()
    await page.getByRole('button', { name: 'Cordon', exact: true }).click()
    await page.getByLabel('Admin token').waitFor()
    expect(await violations(page)).toEqual([])
    await context.close()
  })

  it('in a page that cannot reach the gateway', async () => {
    const { page } = await scene.open('streams')
    scene.gateway.broken.set('/admin/v1/streams', 500)
    await page.reload()
    await page.getByRole('alert').waitFor()
    await settled(page)
    expect(await violations(page)).toEqual([])
    scene.gateway.broken.clear()
  })
})
