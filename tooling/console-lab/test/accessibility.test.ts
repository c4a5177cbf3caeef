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

const widths = [1280, 400] as const

/** Rules that colours decide; all others judge the document, which is one in both themes. */
const ofColours = ['color-contrast', 'link-in-text-block']

/** Runs axe in both themes, which are two looks of one document, and prints what it finds. */
async function violations(page: Page): Promise<readonly string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe.source)
  const light = await violationsNow(page, {})
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await violationsNow(page, { runOnly: ofColours })
  await page.emulateMedia({ colorScheme: 'light' })
  return [...light.map((each) => `light: ${each}`), ...dark.map((each) => `dark: ${each}`)]
}

function violationsNow(page: Page, options: axe.RunOptions): Promise<readonly string[]> {
  return page.evaluate(async (chosen) => {
    const { axe: own } = globalThis as unknown as { readonly axe: typeof axe }
    const { violations: found } = await own.run(document, { resultTypes: ['violations'], ...chosen })
    return found.flatMap(({ id, help, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => `${id} (${help}) at ${target.join(' ')}: ${failureSummary}`),
    )
  }, options)
}

/** By how many px a page is too wide, at last: charts follow a change of width frames later. */
async function overOf(page: Page): Promise<number> {
  for (let left = 40; ; left--) {
    const over = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
    if (over <= 0 || left === 0) return over
    await page.waitForTimeout(50)
  }
}

describeConsole('axe finds nothing wrong in light and in dark', {}, (scene) => {
  let visits: Promise<ReadonlyMap<number, readonly string[]>> | undefined

  /** Finds what is wrong on all pages by width: a page is loaded wide, and then made narrow. */
  async function visitAll(): Promise<ReadonlyMap<number, readonly string[]>> {
    const { page, go } = await scene.open('')
    const found = new Map<number, string[]>(widths.map((width) => [width, []]))
    for (const path of pages) {
      await page.setViewportSize({ width: widths[0], height: 860 })
      await go(path)
      if (path === 'inspector') await page.locator('.tail-row').first().waitFor()
      for (const width of widths) {
        await page.setViewportSize({ width, height: 860 })
        const over = await overOf(page)
        if (over > 0) found.get(width)!.push(`${path} is ${over} px too wide`)
        found.get(width)!.push(...(await violations(page)).map((each) => `${path}: ${each}`))
      }
    }
    await page.close()
    return found
  }

  it.each(widths)('on any page, %d px wide, and none is wider than that', { timeout: 180_000 }, async (width) => {
    visits ??= visitAll()
    expect((await visits).get(width)).toEqual([])
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
