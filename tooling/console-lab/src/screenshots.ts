// `pnpm --filter @wayleave/console-lab screenshots [name…]`: pictures of each page for docs/console, light, dark and 400 px wide, in few colours.
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { launch, openPage, signedIn } from './browse.ts'
import { shrinkPng } from './shrink-png.ts'
import { startStandIn } from './stand-in.ts'

const folder = fileURLToPath(new URL('../../../docs/console/', import.meta.url))

interface Shot {
  readonly name: string
  readonly path: string
  /** Done before the picture is taken. */
  readonly prepare?: (page: Page) => Promise<unknown>
}

const key = '0123456789abcdef0123456789abcdef'
const shots: readonly Shot[] = [
  {
    name: 'overview',
    path: '?range=6h',
    prepare: (page) => page.getByRole('table', { name: 'Methods by calls' }).waitFor(),
  },
  // Two looks tell the pace of upstreams.
  { name: 'networks', path: 'networks', prepare: (page) => page.waitForTimeout(5_500) },
  { name: 'projects', path: 'projects' },
  { name: 'keys', path: 'projects?project=storefront' },
  {
    name: 'new-key',
    path: 'projects?project=storefront&new=key',
    async prepare(page) {
      await page.getByLabel('Label', { exact: true }).fill('Nightly reports')
      await page.getByRole('button', { name: 'Create key' }).click()
      await page.getByLabel('The new key').waitFor()
    },
  },
  {
    name: 'usage',
    path: 'projects?project=storefront&tab=usage&range=24h',
    prepare: (page) => page.getByRole('table', { name: 'Usage by method' }).waitFor(),
  },
  { name: 'limits', path: 'projects?project=storefront&tab=limits' },
  {
    name: 'inspector',
    path: 'inspector',
    async prepare(page) {
      const row = page.locator('.tail-row', { hasText: 'failed' }).first()
      await page.locator('.tail-row').nth(18).waitFor()
      for (;;) {
        await row.waitFor()
        await page.locator('.tail').hover()
        // It may have left the list before that stood still.
        if (await row.isVisible()) break
        await page.mouse.move(0, 0)
      }
      await row.click()
      await page.locator('.waterfall').waitFor()
    },
  },
  { name: 'gas', path: 'gas', prepare: (page) => page.locator('.plot canvas').waitFor() },
  { name: 'ipfs', path: 'ipfs?project=storefront' },
  { name: 'subscriptions', path: 'streams' },
  {
    name: 'policy-replay',
    path: 'replay',
    prepare: async (page) => {
      await page.getByRole('button', { name: 'Replay' }).click()
      await page.getByRole('heading', { name: 'Would be refused' }).waitFor()
    },
  },
  {
    name: 'try-it',
    path: 'try?network=mainnet&method=eth_getBalance',
    async prepare(page) {
      await page.getByLabel('Key', { exact: true }).fill(key)
      await page.getByLabel('address').fill('0x00000000219ab540356cbb839cbe05303d7705fa')
      await page.getByRole('button', { name: 'Call', exact: true }).click()
      await page.getByLabel('The answer', { exact: true }).waitFor()
    },
  },
  {
    name: 'audit-log',
    path: 'audit',
    prepare: (page) => page.getByRole('button', { name: 'limits' }).first().click(),
  },
]

const looks = [
  { name: 'light', theme: 'light', width: 1280, height: 860 },
  { name: 'dark', theme: 'dark', width: 1280, height: 860 },
  { name: 'narrow', theme: 'light', width: 400, height: 860 },
] as const

const wanted = process.argv.slice(2)
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name)
const fonts = useInter()
const browser = await launch()
mkdirSync(folder, { recursive: true })
for (const { name: look, ...options } of looks) {
  // A new one, as a picture may leave a key behind.
  await using gateway = await startStandIn({ callsPerSecond: 30 })
  const context = await signedIn(browser, gateway.url, options)
  for (const { name, path, prepare } of shots.filter((shot) => isWanted(shot.name))) {
    const { page } = await openPage(context, gateway.url, path)
    await prepare?.(page)
    // The pointer would light up what lies under it.
    if (name !== 'inspector') await page.mouse.move(0, 0)
    await page.waitForTimeout(300)
    await keep(page, `${name}-${look}`)
    await page.close()
  }
  if (isWanted('sign-in')) {
    const fresh = await browser.newContext({
      viewport: { width: options.width, height: options.height },
      colorScheme: options.theme,
    })
    const page = await fresh.newPage()
    await page.goto(`${gateway.url}/console/`)
    await page.locator('input').waitFor()
    await keep(page, `sign-in-${look}`)
    await fresh.close()
  }
  await context.close()
}
await browser.close()
fonts.remove()

async function keep(page: Page, name: string): Promise<void> {
  const small = shrinkPng(await page.screenshot())
  writeFileSync(join(folder, `${name}.png`), small)
  console.log(`${name.padEnd(24)} ${(small.length / 1_000).toFixed(1)} kB`)
}

/** Has the browser take Inter for the system's font where it is installed: a bare Debian has none that a person would choose. */
function useInter(): { remove(): void } {
  const found = run('fc-match', 'Inter')
  if (!found.startsWith('Inter')) return { remove() {} }
  const place = mkdtempSync(join(tmpdir(), 'wayleave-fonts-'))
  const rule = (family: string): string =>
    `<match target="pattern"><test qual="any" name="family"><string>${family}</string></test><edit name="family" mode="assign" binding="strong"><string>Inter</string></edit></match>`
  const file = join(place, 'fonts.conf')
  writeFileSync(
    file,
    `<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd"><fontconfig><include>/etc/fonts/fonts.conf</include>${['system-ui', 'sans-serif', 'DejaVu Sans'].map(rule).join('')}</fontconfig>`,
  )
  process.env['FONTCONFIG_FILE'] = file
  return { remove: () => rmSync(place, { recursive: true }) }
}

function run(command: string, ...args: readonly string[]): string {
  try {
    return execFileSync(command, args, { encoding: 'utf8' })
  } catch {
    return ''
  }
}
