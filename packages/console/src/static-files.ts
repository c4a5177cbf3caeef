/** Files of a web page, by the path below its prefix; in memory. */
export interface StaticFiles {
  /** Finds a file; undefined: there is none of that path. The path `''` is the page itself. */
  find(path: string): StaticFile | undefined
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
