import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isSkipped, launch, settled } from '../src/browse.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

/** Runs `npm start` with an empty data folder, as a newcomer after the install, and gives its ready line. */
async function npmStart(): Promise<{ readonly console: string; readonly admin: string }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'newcomer-'))
  const ports = ['--port', '--ipfs-port', '--admin-port'].flatMap((flag) => [flag, '0'])
  const child = spawn('npm', ['start', '--silent', '--', ...ports, '--data-dir', dataDir, '--json'], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(async () => {
    const ended = child.exitCode === null ? once(child, 'exit') : undefined
    child.kill('SIGTERM')
    await ended
    await rm(dataDir, { recursive: true, force: true })
  })
  for await (const line of createInterface({ input: child.stdout })) return JSON.parse(line)
  throw new Error('expected npm start to print a ready line')
}

describe.skipIf(isSkipped)('a newcomer', () => {
  it('starts, opens the console, creates a key, calls with it, and sees the call in the inspector', async () => {
    const begun = performance.now()
    const ready = await npmStart()
    const browser = await launch()
    onTestFinished(() => browser.close())
    const page = await browser.newPage()
    const faults: string[] = []
    page.on('pageerror', (fault) => faults.push(`${fault.name}: ${fault.message}`))

    // No sign-in: the address of the banner is enough.
    await page.goto(ready.console)
    await settled(page)
    expect(await page.locator('h1').innerText()).toBe('Overview')

    await page.getByRole('link', { name: 'Projects and keys' }).click()
    await page.getByRole('button', { name: 'New project' }).first().click()
    await page.getByLabel('Name').fill('First steps')
    await page.keyboard.press('Enter')
    await page.getByLabel('Label', { exact: true }).fill('Laptop')
    await page.getByRole('button', { name: 'Create key' }).click()
    const key = await page.getByLabel('The new key').innerText()
    expect(key).toMatch(/^wl_/)

    await page.getByRole('dialog').getByRole('link', { name: 'Try it' }).click()
    await settled(page)
    expect(await page.getByLabel('Key', { exact: true }).inputValue()).toBe(key)
    // A new key is known to the gateway within a second.
    const answer = page.getByLabel('The answer', { exact: true })
    await expect
      .poll(async () => {
        await page.getByRole('button', { name: 'Call', exact: true }).click()
        await answer.waitFor()
        return answer.innerText()
      })
      .toMatch(/"result": "0x[0-9a-f]+"/)

    await page.getByRole('link', { name: 'Inspector' }).click()
    await settled(page)
    await expect.poll(() => page.locator('.tail').innerText()).toContain('eth_blockNumber')
    expect(faults).toEqual([])
    process.stdout.write(`newcomer: ${((performance.now() - begun) / 1_000).toFixed(1)} s\n`)
  })
})
