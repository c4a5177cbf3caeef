// Kubo reads each mode as one of Go, where the bits beyond the permissions have other places.
// Source: boxo `files/util.go`.

/** Converts a mode of Go to the bits of POSIX: permissions, setuid, setgid and sticky. */
export function fromGoMode(mode: number): number {
  return ((mode & 0xc0_0000) >>> 12) | ((mode & 0x10_0000) >>> 11) | (mode & 0o777)
}

/** Converts bits of POSIX to a mode of Go. */
export function toGoMode(mode: number): number {
  return ((mode & 0o6000) << 12) | ((mode & 0o1000) << 11) | (mode & 0o777)
}
