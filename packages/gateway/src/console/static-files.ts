/** Files of a web page, by the path below its prefix; in memory. */
export interface StaticFiles {
  /** Finds a file; `''` is the page. Undefined: there is no such file. */
  find(path: string): StaticFile | undefined
  /** Hashes of inline scripts for the Content-Security-Policy, such as `'sha256-…'`, with their quotes. */
  readonly scriptHashes: readonly string[]
}

/** A file as it is sent. */
export interface StaticFile {
  readonly contentType: string
  readonly body: Uint8Array
  /** The same, compressed. */
  readonly gzip: Uint8Array
  /** A strong entity tag with its quotes. */
  readonly etag: string
}
