import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { configMembers, memberTable } from '../config/print-config.ts'

it('docs/configuration.md has a row for every member of the configuration; vitest -u writes them', async () => {
  const page = '../../../../docs/configuration.md'
  const [head] = readFileSync(new URL(page, import.meta.url), 'utf8').split('| member |', 1)
  await expect(head! + memberTable()).toMatchFileSnapshot(page)
})

it('the README of the gateway names every member, too', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const code = [...readme.matchAll(/`[^`\n]+`|```[\s\S]*?```/g)].map(([text]) => text).join(' ')
  const members = configMembers()
  const words = new Set(code.match(/[A-Za-z]\w*/g))
  expect(members.length).toBeGreaterThan(150)
  expect(
    members
      .filter(
        ({ path }) =>
          !words.has(
            path
              .split('.')
              .at(-1)!
              .replaceAll(/[[\]<>]/g, ''),
          ),
      )
      .map(({ path }) => path),
  ).toEqual([])
})
