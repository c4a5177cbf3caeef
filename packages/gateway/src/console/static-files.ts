/** Files of a web page, by the path below its prefix; in memory. */
export interface StaticFiles {
  /** Finds a file; `''` is the page. Undefined: there is no such file. */
  find(path: string): StaticFile | undefined
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
