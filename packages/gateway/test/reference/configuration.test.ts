import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configMembers, memberTable } from '../config/print-config.ts'

it('docs/configuration.md has a row for every member of the configuration; vitest -u writes them', async () => {
  expect(configMembers().length).toBeGreaterThan(150)
  const page = new URL('../../../../docs/configuration.md', import.meta.url)
  const [head] = readFileSync(page, 'utf8').split('| member |', 1)
  await expect(head! + memberTable()).toMatchFileSnapshot('../../../../docs/configuration.md')
})
