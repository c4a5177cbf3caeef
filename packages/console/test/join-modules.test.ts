import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { joinModules } from '../src/join-modules.ts'

const modules: Readonly<Record<string, string>> = {
  'main.js': `import { join as put, sep } from "node:path";\nimport util from 'node:util';\nimport { twice,\n  Counter } from "./parts/twice.js";\nimport './parts/side.js';\nexport const all = () => [put('a', 'b'), sep, twice(2), new Counter().next(), util.inspect(1), log];\nconst log = [];\n`,
  'parts/twice.js': `import { two } from "./two.js";\nexport function twice(of) {\n    return two * of;\n}\nexport class Counter {\n    at = 0;\n    next() {\n        return ++this.at;\n    }\n}\nexport const later = async () => import("./late.js");\n`,
  'parts/two.js': 'export const two = 2;\n',
  'parts/side.js': `import { Counter } from './twice.js';\nexport async function wait() { return Counter; }\nexport const text = \`a\n    b\`;\n`,
}
const read = (name: string): string => modules[name] ?? `throw new Error('${name}')`

describe('modules that are joined', () => {
  it('do what they did, each once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'wayleave-join-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const { text, libraries, stubs } = joinModules('main.js', read)
    writeFileSync(join(folder, 'main.mjs'), text)
    const { modules: found } = (await import(pathToFileURL(join(folder, 'main.mjs')).href)) as {
      readonly modules: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    }
    expect((found['main.js']!['all'] as () => unknown)()).toEqual([join('a', 'b'), '/', 4, 1, '1', []])
    expect(found['parts/side.js']!['text']).toBe('a\n    b')
    expect(await (found['parts/side.js']!['wait'] as () => unknown)()).toBe(found['parts/twice.js']!['Counter'])
    expect(libraries).toEqual(['node:path', 'node:util'])
    expect([...stubs.keys()].toSorted()).toEqual(['parts/side.js', 'parts/twice.js', 'parts/two.js'])
    expect(stubs.get('parts/twice.js')).toBe(
      'import { modules } from "../main.js";\nexport const { twice, Counter, later } = modules["parts/twice.js"];\n',
    )
  })

  it('come after what they import', () => {
    const { text } = joinModules('main.js', read)
    const order = [...text.matchAll(/^modules\["([^"]+)"\] =/gm)].map(([, name]) => name)
    expect(order).toEqual(['parts/two.js', 'parts/twice.js', 'parts/side.js', 'main.js'])
  })

  it.each(['export default 1;', "export { two } from './two.js';", "export * from './two.js';", 'export let two = 2;'])(
    'are refused with %s, which this does not read',
    (line) => {
      expect(() => joinModules('main.js', () => `${line}\n`)).toThrow(
        'main.js: expected imports of names and exports of declarations',
      )
    },
  )
})
