/**
 * Converts bits of POSIX to a mode of Go, where the bits beyond the permissions have other places: Kubo reads each mode as one of Go.
 * Source: boxo `files/util.go`.
 */
export function toGoMode(mode: number): number {
  return ((mode & 0o6000) << 12) | ((mode & 0o1000) << 11) | (mode & 0o777)
}
