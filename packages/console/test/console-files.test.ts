import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { consoleFiles, type StaticFile } from '@wayleave/console'
import { describe, expect, it } from 'vitest'
import { textOf } from './support/files.ts'

const page = textOf('')
const pageFolder = fileURLToPath(new URL('../src/page', import.meta.url))

describe('the files of the console', () => {
  it('have the page under the empty path', () => {
    expect(consoleFiles.find('')?.contentType).toBe('text/html; charset=utf-8')
    expect(page).toMatch(/^<!doctype html>/)
  })

  it('have everything that the page names, and nothing is asked of another host', () => {
    const named = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => path!)
    expect(named.length).toBe(5)
    for (const path of named) expect(path).toMatch(/^\/console\//)
    expect(named.filter((path) => consoleFiles.find(path.slice('/console/'.length)) === undefined)).toEqual([])
    expect(page).not.toMatch(/https?:\/\//)
  })

  it('have everything that their modules import, and name no other module', () => {
    const seen = new Set<string>()
    const visit = (path: string): void => {
      if (seen.has(path)) return
      seen.add(path)
      for (const [, name] of textOf(path).matchAll(/\b(?:from|import\(?)\s*"\.\/([^"]+)"/g)) visit(name!)
    }
    visit('main.js')
    const names = [...seen].map((name) => name.replace(/-[0-9A-Z]{8}\.js$/, '-HASH.js'))
    expect(names.toSorted()).toEqual(['chunk-HASH.js', 'later-HASH.js', 'main.js'])
  })

  it('have no inline script, so that the policy allows none', () => {
    expect(page).not.toMatch(/<script(?![^>]*\bsrc=)/)
  })

  it('have no attribute that the policy refuses', () => {
    expect(page).not.toMatch(/\s(?:style|on\w+)=/)
  })

  it('are compressed, and tagged by their content', () => {
    const tags = new Set<string>()
    const chunk = /\/console\/(chunk-\w+\.js)/.exec(page)![1]!
    for (const path of ['', 'main.js', 'style.css', 'icon.svg', chunk]) {
      const { body, gzip, etag } = consoleFiles.find(path) as StaticFile
      expect(gunzipSync(gzip).equals(body)).toBe(true)
      expect(etag).toMatch(/^"[\w-]{22}"$/)
      tags.add(etag)
    }
    expect(tags.size).toBe(5)
  })

  it('are read once', () => {
    expect(consoleFiles.find('main.js')).toBe(consoleFiles.find('main.js'))
  })

  it.each([
    'nothing.js',
    '../package.json',
    '..%2fpackage.json',
    'pages',
    'pages/',
    'lib',
    '/etc/passwd',
    'style.css/',
    '.tsbuildinfo',
    'main.d.ts',
    'chunk.js',
    'later-AAAAAAAA.js',
    'index.html',
    'licences.txt',
    '__proto__',
    'constructor',
  ])('are none for the path %s', (path) => {
    expect(consoleFiles.find(path)).toBeUndefined()
  })

  it('have types that a browser accepts with nosniff', () => {
    const types = ['main.js', 'style.css', 'icon.svg', 'first-paint.js'].map(
      (path) => consoleFiles.find(path)!.contentType,
    )
    expect(types).toEqual([
      'text/javascript; charset=utf-8',
      'text/css; charset=utf-8',
      'image/svg+xml',
      'text/javascript; charset=utf-8',
    ])
  })

  it('are no more than 60 kB for the first page, compressed, with libraries and styles', () => {
    const named = [...page.matchAll(/(?:src|href)="\/console\/([^"]+)"/g)].map(([, path]) => path!)
    const all = ['', ...new Set(named)].map((path) => consoleFiles.find(path)!.gzip.length)
    expect(all.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(60_000)
  })

  it('make no element of a text', () => {
    const careless = /dangerouslySetInnerHTML|innerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function/
    const sources = readdirSync(pageFolder, { recursive: true, encoding: 'utf8' }).filter((name) =>
      /\.tsx?$/.test(name),
    )
    expect(sources.length).toBeGreaterThan(50)
    expect(sources.filter((name) => careless.test(readFileSync(join(pageFolder, name), 'utf8')))).toEqual([])
  })

  it('have the licences of the libraries in them beside them', () => {
    const licences = readFileSync(new URL('../dist/page/licences.txt', import.meta.url), 'utf8')
    for (const name of ['preact', '@preact/signals', '@preact/signals-core', 'uplot']) {
      expect(licences).toContain(`${name}\n\nThe MIT License`)
    }
  })
})
