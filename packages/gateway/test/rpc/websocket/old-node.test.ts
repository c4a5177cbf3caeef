import { execFileSync } from 'node:child_process'
import { delimiter, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

/** A Node on the path that gives every offer of an upgrade away: `shouldUpgradeCallback` is of 24.9. */
function findOldNode(): string | undefined {
  const candidates = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return candidates.find((path) => {
    try {
      const [major, minor] = execFileSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' })
        .split('.')
        .map(Number)
      return (major! >= 21 && major! < 24) || (major === 20 && minor! >= 19)
    } catch {
      return false
    }
  })
}

const oldNode = findOldNode()

describe.skipIf(oldNode === undefined)('on a Node between 20.19 and 24 (skipped where none is on the path)', () => {
  it('an offer to upgrade is served as it is, twelve times on a connection, and gzip is read', () => {
    const script = fileURLToPath(new URL('old-node.mjs', import.meta.url))
    const answer = { jsonrpc: '2.0', id: 'own', result: '0x1' }
    const one = ['HTTP/1.1 200', '"id":"own","result":"0x1"']
    expect(JSON.parse(execFileSync(oldNode!, [script], { encoding: 'utf8', timeout: 15_000 }))).toEqual({
      offered: Array.from({ length: 12 }, () => one).flat(),
      compressed: answer,
      warnings: [],
    })
  })
})
