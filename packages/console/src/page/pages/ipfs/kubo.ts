import { at, errorOf, parse, send, sessionHeaders } from '../../api/ask.ts'
import { ConsoleError } from '../../api/console-error.ts'

export interface DirectoryEntry {
  readonly name: string
  readonly cid: string
  readonly size: number
  readonly isDirectory: boolean
}

/** A file to add, with its path below the folder that was dropped. */
export interface FileToAdd {
  readonly file: File
  readonly path: string
}

const directoryType = 1

function command(project: string, name: string, parameters: Readonly<Record<string, string>>): string {
  return `/admin/v1${at`/ipfs/${project}`}/api/v0/${name}?${new URLSearchParams(parameters).toString()}`
}

/** Asks the Kubo API as a project. @throws ConsoleError with its words */
async function askKubo(
  project: string,
  name: string,
  parameters: Readonly<Record<string, string>>,
  signal?: AbortSignal,
): Promise<Response> {
  const response = await send('POST', command(project, name, parameters), { signal, accept: '*/*' })
  if (response.ok) return response
  const text = await response.text()
  throw kuboError(response.status, text) ?? errorOf(response, parse(text), text)
}

function kuboError(status: number, text: string): ConsoleError | undefined {
  const { Message: message } = (parse(text) ?? {}) as { readonly Message?: unknown }
  return typeof message === 'string' ? new ConsoleError(message, { status, code: 'ipfs' }) : undefined
}

/** Lists a directory; undefined where the path leads to a file. */
export async function listDirectory(
  project: string,
  path: string,
  signal: AbortSignal,
): Promise<readonly DirectoryEntry[] | undefined> {
  const response = await askKubo(project, 'ls', { arg: path }, signal)
  const { Objects: objects = [] } = (await response.json()) as {
    readonly Objects?: readonly {
      readonly Links?: readonly {
        readonly Name: string
        readonly Hash: string
        readonly Size: number
        readonly Type: number
      }[]
    }[]
  }
  const links = objects[0]?.Links ?? []
  if (links.length === 0) return (await isDirectory(project, path, signal)) ? [] : undefined
  // The parts of a long file have no names.
  if (links.every(({ Name: name }) => name === '')) return undefined
  return links.map(({ Name: name, Hash: cid, Size: size, Type: type }) => ({
    name,
    cid,
    size,
    isDirectory: type === directoryType,
  }))
}

/** Asks for the type of what has no links: it may be no file of UnixFS, too. */
async function isDirectory(project: string, path: string, signal: AbortSignal): Promise<boolean> {
  try {
    const response = await askKubo(project, 'files/stat', { arg: `/ipfs/${path}` }, signal)
    return ((await response.json()) as { readonly Type?: unknown }).Type === 'directory'
  } catch {
    return false
  }
}

/** Reads the first bytes of a file. */
export async function readStart(
  project: string,
  path: string,
  length: number,
  signal: AbortSignal,
): Promise<Uint8Array> {
  const response = await askKubo(project, 'cat', { arg: path, length: String(length) }, signal)
  return new Uint8Array(await response.arrayBuffer())
}

/** Loads a whole file. */
export async function readFile(project: string, path: string, signal: AbortSignal): Promise<Blob> {
  const response = await askKubo(project, 'cat', { arg: path }, signal)
  // As bytes: no type that a browser would render.
  return new Blob([await response.arrayBuffer()], { type: 'application/octet-stream' })
}

export async function unpin(project: string, cid: string): Promise<void> {
  await askKubo(project, 'pin/rm', { arg: cid })
}

/** An upload on its way. */
export interface Upload {
  /** Resolves with the CID. @throws ConsoleError */
  readonly done: Promise<string>
  cancel(): void
}

/** Adds and pins a file, or a folder of them. `onProgress` is told the part that was sent, 0 to 1. */
export function addFiles(
  project: string,
  name: string,
  files: readonly FileToAdd[],
  onProgress: (part: number) => void,
): Upload {
  const request = new XMLHttpRequest()
  const done = new Promise<string>((resolve, reject) => {
    request.open('POST', command(project, 'add', { 'cid-version': '1', pin: 'true', 'pin-name': name }))
    for (const [header, value] of Object.entries(sessionHeaders())) request.setRequestHeader(header, value)
    request.upload.addEventListener('progress', ({ loaded, total }) => onProgress(total === 0 ? 1 : loaded / total))
    request.addEventListener('load', () => {
      const { status, responseText: text } = request
      const last = parse(text.trim().split('\n').at(-1) ?? '') as { readonly Hash?: unknown } | undefined
      if (status === 200 && typeof last?.Hash === 'string') return resolve(last.Hash)
      reject(kuboError(status, text) ?? problemOf(status, text))
    })
    request.addEventListener('error', () =>
      reject(new ConsoleError('The connection broke.', { status: 0, code: 'unreachable' })),
    )
    request.addEventListener('abort', () => reject(new ConsoleError('Cancelled.', { status: 0, code: 'aborted' })))
    const form = new FormData()
    for (const { file, path } of files) form.append('file', file, path)
    request.send(form)
  })
  return { done, cancel: () => request.abort() }
}

function problemOf(status: number, text: string): ConsoleError {
  const { detail } = (parse(text) ?? {}) as { readonly detail?: unknown }
  const words =
    typeof detail === 'string'
      ? detail
      : text.length < 300 && text.trim() !== ''
        ? text.trim()
        : `HTTP status ${status}`
  return new ConsoleError(words, { status, code: 'ipfs' })
}
