import { expect, it } from 'vitest'
import { measureHeap, watchFrames } from '../src/watch-frames.ts'
import { describeConsole } from './scene.ts'

describeConsole('a live tail of 500 calls a second', { callsPerSecond: 500, isUnused: true }, (scene) => {
  it(
    'keeps 5,000 calls at most, some rows of them in the document, and goes on drawing',
    { timeout: 90_000 },
    async () => {
      scene.gateway.callsPerSecond = 2_000
      const { page, faults } = await scene.open('inspector')
      const { frames } = await watchFrames(page, 3)
      expect(frames).toBeGreaterThan(3)
      await expect.poll(() => page.locator('.tail-foot').innerText()).toContain('5,000 of at most 5,000 kept')
      scene.gateway.callsPerSecond = 500
      const before = await measureHeap(page)
      await watchFrames(page, 6)
      const after = await measureHeap(page)
      expect(await page.locator('.tail-row').count()).toBeLessThan(60)
      expect(after.elements - before.elements).toBeLessThan(100)
      // 3,000 more calls have come and gone meanwhile.
      expect(after.heapBytes - before.heapBytes).toBeLessThan(3_000_000)
      expect(await page.locator('.tail-foot').innerText()).toContain('5,000 of at most 5,000 kept')
      expect(faults).toEqual([])
    },
  )

  it('stands still under the pointer, and while it is paused, and tells what came meanwhile', async () => {
    const { page } = await scene.open('inspector')
    await page.locator('.tail-row').nth(20).waitFor()
    await page.locator('.tail').hover()
    await expect.poll(() => page.locator('.tail-foot').innerText()).toMatch(/\d+ newer calls/)
    const first = await page.locator('.tail-row').first().innerText()
    await expect.poll(() => page.locator('.tail-foot').innerText()).toMatch(/[1-9]\d\d newer calls/)
    expect(await page.locator('.tail-row').first().innerText()).toBe(first)
    await page.getByRole('button', { name: 'Pause' }).click()
    await expect.poll(() => page.locator('.panel-head .badge').innerText()).toBe('paused')
    await page.getByRole('button', { name: 'Resume' }).click()
    await expect.poll(() => page.locator('.panel-head .badge').innerText()).toBe('live')
  })

  it('asks the gateway for what the filters choose, and closes the stream before', async () => {
    const { page } = await scene.open('inspector')
    await expect.poll(() => scene.gateway.readers).toBe(1)
    await page.getByLabel('Outcome').selectOption('failed')
    await page.getByLabel('Slower than, ms').fill('100')
    await expect.poll(() => scene.gateway.asked.at(-1)).toContain('/admin/v1/calls/live?outcome=failed&minMs=100')
    await expect.poll(() => scene.gateway.readers).toBe(1)
    await expect
      .poll(async () => (await page.locator('.tail-row .badge').allInnerTexts()).every((text) => text === 'failed'))
      .toBe(true)
    expect(new URL(page.url()).search).toBe('?outcome=failed&minMs=100')
    await page.getByRole('link', { name: 'Gas fees' }).click()
    await expect.poll(() => scene.gateway.readers).toBe(0)
  })

  it('comes back by itself where the stream breaks, and says that it waits', async () => {
    scene.gateway.broken.set('/admin/v1/calls/live', 503)
    const { page } = await scene.open('inspector')
    await expect
      .poll(() => page.locator('.notice').innerText())
      .toContain('As many as may be are watching already. Trying again in')
    scene.gateway.broken.clear()
    await expect.poll(() => page.locator('.tail-row').count()).toBeGreaterThan(10)
  })
})
