import { describe, expect, it } from 'vitest'
import { circlesOf, judgeRooms, readImports, rooms } from '../../check/rooms.mjs'

const source = 'packages/a/src'
const graphOf = (texts: Record<string, string>) => {
  const paths = Object.fromEntries(Object.entries(texts).map(([file, text]) => [`${source}/${file}`, text]))
  return readImports(Object.keys(paths), (file: string) => paths[file]!)
}
const plan = ['ground', 'middle', 'roof']
const downward = {
  'ground/one.ts': '',
  'middle/two.ts': "import { one } from '../ground/one.ts'",
  'roof.ts': "import { two } from './middle/two.ts'",
}

describe('rooms', () => {
  it('accepts imports that run from a higher room to a lower one', () => {
    expect(judgeRooms(source, graphOf(downward), plan)).toEqual([])
  })

  it.each([
    ['a value', "import { roof } from '../roof.ts'"],
    ['a type', "import type { Roof } from '../roof.ts'"],
    ['several lines of names', "import {\n  roof,\n  type Roof,\n} from '../roof.ts'"],
    ['a dynamic import', "const { roof } = await import('../roof.ts')"],
    ['the type of an import', "type Roof = import('../roof.ts').Roof"],
    ['a re-export', "export { roof } from '../roof.ts'"],
    ['an import for its effect', "import '../roof.ts'"],
  ])('refuses an import that runs up, by %s', (_, text) => {
    const problems = judgeRooms(source, graphOf({ ...downward, 'ground/one.ts': text }), plan)
    expect(problems).toEqual([expect.stringContaining('ground/one.ts imports packages/a/src/roof.ts, which is higher')])
  })

  it('asks for the place of a new room, and for the end of a listed room without files', () => {
    const { 'roof.ts': _, ...without } = downward
    const problems = judgeRooms(source, graphOf({ ...without, 'cellar/wine.ts': '' }), plan)
    expect(problems).toEqual([
      expect.stringContaining('cellar: a room without a place'),
      expect.stringContaining('no room roof any more'),
    ])
  })

  it('finds each circle of files once, and none in a diamond', () => {
    const diamond = {
      'a.ts': "import './b.ts'\nimport './c.ts'",
      'b.ts': "import './d.ts'",
      'c.ts': "import './d.ts'",
      'd.ts': '',
    }
    expect(circlesOf(graphOf(diamond))).toEqual([])
    const circle = graphOf({ ...diamond, 'd.ts': "import './b.ts'" })
    expect(circlesOf(circle)).toEqual([`${source}/b.ts ${source}/d.ts`])
  })

  it('holds for the repository as it stands', async () => {
    expect(await rooms()).toEqual([])
  })
})
