/** What a key belongs to. Holds nothing secret: it may be logged. */
export interface Project {
  readonly id: string
  readonly name: string
  /** Slugs of the networks that its keys may reach; undefined: all. */
  readonly networks?: readonly string[]
  /** True where a key alone does not suffice. */
  readonly requireSecret: boolean
}
