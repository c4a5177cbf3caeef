// Keeps the imports between the rooms of a package downward, types counted, as `turbo boundaries` does for packages. A room is a
// folder of `src`, or a file that stands beside the folders; `rooms.json` lists each package's rooms, lowest first.
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

/** Lists the imports that run from a lower room of a package to a higher one. */
function importsUp(source, graph, order) {
  const isInside = (file) => file.startsWith(`${source}/`)
  const placeOf = (file) => order.indexOf(roomOf(file, source))
  return [...graph]
    .filter(([file]) => isInside(file))
    .flatMap(([file, targets]) => {
      const higher = targets.filter((target) => isInside(target) && placeOf(target) > placeOf(file))
      return higher.map((target) => ({ file, target }))
    })
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

/** Judges the imports of one package by the order of its rooms, lowest first. */
export function judgeRooms(source, graph, order) {
  const files = [...graph.keys()].filter((file) => file.startsWith(`${source}/`))
  const used = [...new Set(files.map((file) => roomOf(file, source)))].toSorted()
  return [
    ...compare(used, order, {
      isNew: (room) =>
        `${source}/${room}: a room without a place: list it in tooling/check/rooms.json, above all that it imports`,
      isGone: (room) => `tooling/check/rooms.json: ${source} has no room ${room} any more: drop it`,
    }),
    ...importsUp(source, graph, order).map(
      ({ file, target }) =>
        `${file} imports ${target}, which is higher: move what both need down, or take it as a parameter`,
    ),
  ]
}

/** Refuses circles of files, and imports between rooms that run up. */
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
