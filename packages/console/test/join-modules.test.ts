import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { joinModules } from '../src/join-modules.ts'

const modules: Readonly<Record<string, string>> = {
  'main.js': `import { join as put, sep } from "node:path";\nimport util from 'node:util';\nimport { twice,\n  Counter } from "./parts/twice.js";\nimport './parts/side.js';\nconst all = () => [put('a', 'b'), sep, twice(2), new Counter().next(), util.inspect(1), log];\nconst log = [];\nexport {\n  all\n};\n`,
  'parts/twice.js': `import { two } from "./two.js";\nfunction twice(of) {\n  return two * of;\n}\nclass Counter {\n  at = 0;\n  next() {\n    return ++this.at;\n  }\n}\nconst later = async () => import("./late.js");\nexport {\n  Counter,\n  later,\n  twice\n};\n`,
  'parts/two.js': 'const two = 2;\nexport {\n  two\n};\n',
  'parts/side.js': `import { Counter } from './twice.js';\nasync function wait() { return Counter; }\nconst text = \`a\n    b\`;\nexport {\n  text,\n  wait\n};\n`,
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
      'import { modules } from "../main.js";\nexport const { Counter, later, twice } = modules["parts/twice.js"];\n',
    )
  })

  it('come after what they import', () => {
    const { text } = joinModules('main.js', read)
    const order = [...text.matchAll(/^modules\["([^"]+)"\] =/gm)].map(([, name]) => name)
    expect(order).toEqual(['parts/two.js', 'parts/twice.js', 'parts/side.js', 'main.js'])
  })

  it.each([
    'export default 1;',
    "export { two } from './two.js';",
    "export * from './two.js';",
    'export let two = 2;',
    'export {\n  two as three\n};',
  ])('are refused with %s, which this does not read', (line) => {
    expect(() => joinModules('main.js', () => `${line}\n`)).toThrow(
      'main.js: expected imports of names and one list of exports',
    )
  })
})
