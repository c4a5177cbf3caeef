import { expect, it } from 'vitest'
import { settled } from '../src/browse.ts'
import { describeConsole } from './scene.ts'

describeConsole('a project of 10,000 keys', { keys: 10_000, isUnused: true }, (scene) => {
  it('is paged and searched in the browser, with fifty rows in the document', { timeout: 90_000 }, async () => {
    const { page, faults } = await scene.open('projects?project=indexer')
    await expect.poll(() => page.locator('.pager > span').innerText()).toBe('1–50 of 10,002')
    const rows = page.locator('tbody tr')
    expect(await rows.count()).toBe(50)
    const first = await rows.first().innerText()
    await page.getByRole('button', { name: 'Next page of keys' }).click()
    await expect.poll(() => page.locator('.pager > span').innerText()).toBe('51–100 of 10,002')
    expect(await rows.first().innerText()).not.toBe(first)

    const find = page.getByLabel('Find by label, id or ending')
    await find.fill('bulk-9999')
    await expect.poll(() => rows.count()).toBe(1)
    expect(await rows.first().innerText()).toContain('Worker 9999')
    await find.fill('no such key')
    await expect.poll(() => page.locator('.empty').innerText()).toContain('No key matches')
    await page.getByRole('button', { name: 'Show all' }).click()
    await expect.poll(() => rows.count()).toBe(50)
    // In ten questions of a thousand.
    expect(scene.gateway.asked.filter((line) => line.includes('/projects/indexer/keys?limit=1000'))).toHaveLength(11)
    expect(faults).toEqual([])
  })

  it('shows its first page before the last one has come', async () => {
    const { page } = await scene.open('projects')
    await page.getByRole('link', { name: 'Indexer' }).click()
    await page.locator('tbody tr').nth(49).waitFor()
    await settled(page)
    await expect.poll(() => page.locator('.pager > span').innerText()).toBe('1–50 of 10,002')
  })
})
