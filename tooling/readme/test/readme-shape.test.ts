// A README is read in ten minutes: purpose, install, example, API, limits. What is more has a page in `docs/packages`.
import { globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../../../', import.meta.url))
const readmes = globSync('{packages,apps}/*/README.md', { cwd: root }).toSorted()
const read = (file: string): string => readFileSync(join(root, file), 'utf8')

/** Words as `wc -w` counts them. */
const most = 1_600
describe.each(readmes)('%s', (file) => {
  it(`has at most ${most} words`, () => {
    expect(read(file).split(/\s+/).filter(Boolean).length).toBeLessThanOrEqual(most)
  })

  it('says the least Node that its package.json asks for', () => {
    const { engines } = JSON.parse(read(join(dirname(file), 'package.json'))) as { readonly engines: { node: string } }
    expect(read(file)).toContain(`Node ${engines.node.replace('>=', '')} or newer`)
  })
})
