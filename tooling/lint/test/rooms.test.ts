import { describe, expect, it } from 'vitest'
import { circlesOf, judgeRooms, readImports, rooms } from '../../check/rooms.mjs'

const source = 'packages/a/src'
const graphOf = (texts: Record<string, string>) => {
  const paths = Object.fromEntries(Object.entries(texts).map(([file, text]) => [`${source}/${file}`, text]))
  return readImports(Object.keys(paths), (file: string) => paths[file]!)
}
const plan = { rooms: ['ground', 'middle', 'roof'], up: {} }
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
    expect(problems).toEqual([expect.stringContaining('ground -> roof: 1 imports run up, 0 may')])
  })

  it('refuses one import more along an arrow that already runs up', () => {
    const up = { 'ground -> roof': 1 }
    const texts = { ...downward, 'ground/one.ts': "import '../roof.ts'" }
    expect(judgeRooms(source, graphOf(texts), { ...plan, up })).toEqual([])
    const more = graphOf({ ...texts, 'ground/three.ts': "import '../roof.ts'" })
    expect(judgeRooms(source, more, { ...plan, up })).toEqual([expect.stringContaining('2 imports run up, 1 may')])
  })

  it('asks for a lower number once fewer imports run up', () => {
    const problems = judgeRooms(source, graphOf(downward), { ...plan, up: { 'ground -> roof': 1 } })
    expect(problems).toEqual([expect.stringContaining('0 imports run up, not 1: lower the number')])
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
