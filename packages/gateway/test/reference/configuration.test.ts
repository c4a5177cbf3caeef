import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configMembers, memberTable } from '../config/print-config.ts'

it('docs/configuration.md has a row for every member of the configuration; vitest -u writes them', async () => {
  expect(configMembers().length).toBeGreaterThan(150)
  const page = '../../../../docs/configuration.md'
  const [head] = readFileSync(new URL(page, import.meta.url), 'utf8').split('| member |', 1)
  await expect(head! + memberTable()).toMatchFileSnapshot(page)
})
