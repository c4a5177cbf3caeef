/** Files of a web page, by the path below its prefix; in memory. */
export interface StaticFiles {
  /** Finds a file; undefined: there is none of that path. The path `''` is the page itself. */
  find(path: string): StaticFile | undefined
  /** Hashes of the inline scripts for `script-src` of the Content-Security-Policy, such as `'sha256-…'`, with their quotes. */
  readonly scriptHashes: readonly string[]
}

/** One file, as it is sent. */
export interface StaticFile {
  readonly contentType: string
  readonly body: Uint8Array
  /** The body, compressed. */
  readonly gzip: Uint8Array
  /** A strong entity tag with its quotes. */
  readonly etag: string
}
