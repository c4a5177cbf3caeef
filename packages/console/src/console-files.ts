import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import type { StaticFile, StaticFiles } from './static-files.ts'

const asset = (name: string): string => fileURLToPath(new URL(`../assets/${name}`, import.meta.url))
/** A module as `build-page.mjs` makes it, also where this file is run from its source. */
const built = (name: string): string => fileURLToPath(new URL(`../dist/page/${name}`, import.meta.url))

const places: ReadonlyMap<string, string> = new Map([
  ['', asset('index.html')],
  ...['icon.svg', 'style.css', 'first-paint.js'].map((name) => [name, asset(name)] as const),
  ...['main.js', 'later.js', 'chunk.js'].map((name) => [name, built(name)] as const),
])

const contentTypes: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

/**
 * The files of the console, to be served below `/console/`. Nothing is read before it is asked for; then each file is read and compressed once,
 * and kept: about a third of a megabyte in all. There is none where the page was not built.
 */
export const consoleFiles: StaticFiles = createConsoleFiles()

function createConsoleFiles(): StaticFiles {
  const kept = new Map<string, StaticFile>()

  return {
    find(path) {
      const found = kept.get(path)
      if (found !== undefined) return found
      const place = places.get(path)
      if (place === undefined || !existsSync(built('main.js'))) return undefined
      const file = readFile(place)
      kept.set(path, file)
      return file
    },
  }
}

function readFile(place: string): StaticFile {
  const text = readFileSync(place, 'utf8')
  const body = Buffer.from(place.includes('/assets/') ? withoutSpace(text) : text)
  return {
    contentType: contentTypes[place.slice(place.lastIndexOf('.') + 1)]!,
    body,
    gzip: gzipSync(body, { level: 9 }),
    etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`,
  }
}

/** Takes out what people alone need: indentation, and comments on lines of their own. */
function withoutSpace(text: string): string {
  return text.replaceAll(/^\s*(?:\/\*[^*]*\*\/|\/\/.*)$/gm, '').replaceAll(/^\s+/gm, '')
}
