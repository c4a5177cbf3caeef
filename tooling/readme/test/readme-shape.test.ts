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
/** Those that are longer still. The list only gets shorter. */
const longer: Readonly<Record<string, number>> = {
  'apps/client/README.md': 3_800,
  'packages/ipfs-http/README.md': 2_600,
}

describe.each(readmes)('%s', (file) => {
  it(`has at most ${longer[file] ?? most} words`, () => {
    const words = read(file).split(/\s+/).filter(Boolean).length
    expect(words).toBeLessThanOrEqual(longer[file] ?? most)
    // One that got short leaves the list.
    if (longer[file] !== undefined) expect(words).toBeGreaterThan(most)
  })

  it('says the least Node that its package.json asks for', () => {
    const { engines } = JSON.parse(read(join(dirname(file), 'package.json'))) as { readonly engines: { node: string } }
    expect(read(file)).toContain(`Node ${engines.node.replace('>=', '')} or newer`)
  })
})
