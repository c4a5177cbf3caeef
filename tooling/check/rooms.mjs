// Keeps the imports between the rooms of a package downward, types counted, as `turbo boundaries` does for packages. A room is a
// folder of `src`, or a file that stands beside the folders. `rooms.json` lists each package's rooms, lowest first, and how
// many imports still run back up each arrow: one more is refused, and one less has to be written down, so that they only get fewer.
// No files import each other in a circle, in any package or app.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { listFiles } from './list-files.mjs'

const imports = /(?:\bfrom\s*|\bimport\s*\(\s*|^import\s+)'(\.[^']+)'/gm

/** Maps each source file to the source files that it imports, whether types or values. */
export function readImports(files, readText = (file) => readFileSync(file, 'utf8')) {
  const known = new Set(files)
  return new Map(
    files.map((file) => {
      const targets = [...readText(file).matchAll(imports)].map(([, path]) => normalize(join(dirname(file), path)))
      return [file, [...new Set(targets)].filter((target) => known.has(target))]
    }),
  )
}

/** The room of a file: the first folder under `src`, or the file itself without its ending. */
const roomOf = (file, source) => {
  const path = file.slice(source.length + 1)
  return path.includes('/') ? path.slice(0, path.indexOf('/')) : path.replace(/\.tsx?$/, '')
}

/** Counts the imports between each two rooms of a package, keyed by `from -> to`. */
function arrowsOf(source, graph) {
  const arrows = new Map()
  for (const [file, targets] of graph) {
    if (!file.startsWith(`${source}/`)) continue
    for (const target of targets) {
      if (!target.startsWith(`${source}/`)) continue
      const [from, to] = [roomOf(file, source), roomOf(target, source)]
      if (from !== to) arrows.set(`${from} -> ${to}`, (arrows.get(`${from} -> ${to}`) ?? 0) + 1)
    }
  }
  return arrows
}

/** Finds the circles of files by Tarjan's algorithm: each is its sorted list of files, joined by a space. */
export function circlesOf(graph) {
  const circles = []
  const indexes = new Map()
  const lowest = new Map()
  const path = []
  const onPath = new Set()
  const visit = (file) => {
    indexes.set(file, indexes.size)
    lowest.set(file, indexes.get(file))
    path.push(file)
    onPath.add(file)
    for (const target of graph.get(file) ?? []) {
      if (!indexes.has(target)) visit(target)
      if (onPath.has(target)) lowest.set(file, Math.min(lowest.get(file), lowest.get(target)))
    }
    if (lowest.get(file) !== indexes.get(file)) return
    const circle = path.splice(path.indexOf(file))
    for (const each of circle) onPath.delete(each)
    if (circle.length > 1) circles.push(circle.toSorted().join(' '))
  }
  for (const file of graph.keys()) if (!indexes.has(file)) visit(file)
  return circles.toSorted()
}

/** Compares what is found with what is listed: both what is new and what is gone are problems. */
function compare(found, listed, { isNew, isGone }) {
  return [
    ...found.filter((each) => !listed.includes(each)).map(isNew),
    ...listed.filter((each) => !found.includes(each)).map(isGone),
  ]
}

/** Judges the imports of one package by its rooms, lowest first, and by how many imports may still run up each arrow. */
export function judgeRooms(source, graph, { rooms: order, up }) {
  const used = [...graph.keys()].filter((file) => file.startsWith(`${source}/`)).map((file) => roomOf(file, source))
  const arrows = arrowsOf(source, graph)
  const isUp = (arrow) => {
    const [from, to] = arrow.split(' -> ').map((room) => order.indexOf(room))
    return from >= 0 && to > from
  }
  const counted = [...new Set([...[...arrows.keys()].filter(isUp), ...Object.keys(up)])].toSorted()
  return [
    ...compare([...new Set(used)].toSorted(), order, {
      isNew: (room) =>
        `${source}/${room}: a room without a place: list it in tooling/check/rooms.json, above all that it imports`,
      isGone: (room) => `tooling/check/rooms.json: ${source} has no room ${room} any more: drop it`,
    }),
    ...counted.flatMap((arrow) => {
      const [now, before] = [isUp(arrow) ? (arrows.get(arrow) ?? 0) : 0, up[arrow] ?? 0]
      if (now > before)
        return [
          `${source}: ${arrow}: ${now} imports run up, ${before} may: move what both need down, or take it as a parameter`,
        ]
      return now < before
        ? [`tooling/check/rooms.json: ${source}: ${arrow}: ${now} imports run up, not ${before}: lower the number`]
        : []
    }),
  ]
}

/** Refuses circles of files, and imports between rooms that run up unless they are old ones. */
export async function rooms() {
  const packages = JSON.parse(readFileSync(new URL('rooms.json', import.meta.url), 'utf8'))
  const files = (await listFiles()).filter(
    (file) => /^(?:packages|apps)\/[^/]+\/src\/.*\.tsx?$/.test(file) && existsSync(file),
  )
  const graph = readImports(files)
  return [
    ...Object.entries(packages).flatMap(([source, listed]) => judgeRooms(source, graph, listed)),
    ...circlesOf(graph).map(
      (circle) => `these files import each other: ${circle}: let one take what it needs as a parameter`,
    ),
  ]
}
